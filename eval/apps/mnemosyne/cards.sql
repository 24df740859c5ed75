PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE facts(
        _id integer primary key,
        id text,
        extra_data text default ""
    );
INSERT INTO facts VALUES(1,'raPcQRWxHzUemus7YEmSXM','');
INSERT INTO facts VALUES(2,'Ag1PBGYIqFPFXZdklMoLa3','');
INSERT INTO facts VALUES(3,'AJAB7d4JWqbSIn1XHGwS4V','');
CREATE TABLE data_for_fact(
        _fact_id integer,
        key text,
        value text
    );
INSERT INTO data_for_fact VALUES(1,'f','la casa');
INSERT INTO data_for_fact VALUES(1,'b','the house');
INSERT INTO data_for_fact VALUES(2,'f','el perro');
INSERT INTO data_for_fact VALUES(2,'b','the dog');
INSERT INTO data_for_fact VALUES(3,'f','der Tisch');
INSERT INTO data_for_fact VALUES(3,'b','the table');
CREATE TABLE cards(
        _id integer primary key,
        id text,
        card_type_id text,
        _fact_id integer,
        fact_view_id text,

        question text,
        answer text,
        tags text,

        grade integer,
        next_rep integer,
        last_rep integer,
        easiness real,
        acq_reps integer,
        ret_reps integer,
        lapses integer,
        acq_reps_since_lapse integer,
        ret_reps_since_lapse integer,
        creation_time integer,
        modification_time integer,
        extra_data text default "",
        scheduler_data integer default 0,
        active boolean default 1
    );
INSERT INTO cards VALUES(1,'c5VFLpOAK8ulD3amHjCpBC','1',1,'1.1','la casa','the house','spanish',2,4000000000,1795915400,2.5,1,0,0,1,0,1795915400,1795915400,'',0,1);
INSERT INTO cards VALUES(2,'KimrP2RWvMibaE3jSVa3Z3','1',2,'1.1','el perro','the dog','spanish',-1,-1,-1,2.5,0,0,0,0,0,1795915416,1795915416,'',0,1);
INSERT INTO cards VALUES(3,'Jy8kJPZkzwbqGc7ImH2GvO','1',3,'1.1','der Tisch','the table','german',-1,-1,-1,2.5,0,0,0,0,0,1795915422,1795915422,'',0,1);
CREATE TABLE tags(
        _id integer primary key,
        id text,
        name text,
        extra_data text default ""
    );
INSERT INTO tags VALUES(1,'__UNTAGGED__','__UNTAGGED__','');
INSERT INTO tags VALUES(2,'5g68Na0AEiU3jCYnxfymVi','spanish','');
INSERT INTO tags VALUES(3,'Gb2jjKRKBNGuO8Ffd0aHEv','german','');
CREATE TABLE tags_for_card(
        _card_id integer,
        _tag_id integer
    );
INSERT INTO tags_for_card VALUES(1,2);
INSERT INTO tags_for_card VALUES(2,2);
INSERT INTO tags_for_card VALUES(3,3);
CREATE TABLE criteria(
       _id integer primary key,
       id text,
       name text,
       type text,
       data text
    );
INSERT INTO criteria VALUES(1,'__DEFAULT__','__DEFAULT__','default','(set(), {1, 2, 3}, set())');
CREATE TABLE global_variables(
        key text,
        value text
    );
INSERT INTO global_variables VALUES('version','4');
CREATE TABLE log(
        _id integer primary key autoincrement, /* Should never be reused. */
        event_type integer,
        timestamp integer,
        object_id text,
        grade integer,
        easiness real,
        acq_reps integer,
        ret_reps integer,
        lapses integer,
        acq_reps_since_lapse integer,
        ret_reps_since_lapse integer,
        scheduled_interval integer,
        actual_interval integer,
        thinking_time integer,
        next_rep integer,
        /* Storing scheduler_data allows syncing the cramming scheduler */
        scheduler_data integer
    );
CREATE TABLE partnerships(
        partner text unique,
        _last_log_id integer
    );
CREATE TABLE media(
        filename text primary key,
        _hash text
    );
CREATE TABLE fact_views(
        id text primary key,
        name text,
        q_fact_keys text,
        a_fact_keys text,
        q_fact_key_decorators text,
        a_fact_key_decorators text,
        a_on_top_of_q boolean default 0,
        type_answer boolean default 0,
        extra_data text default ""
    );
CREATE TABLE card_types(
        id text primary key,
        name text,
        fact_keys_and_names text,
        unique_fact_keys text,
        required_fact_keys text,
        fact_view_ids text,
        keyboard_shortcuts text,
        extra_data text default ""
    );
CREATE INDEX i_facts on facts (id);
CREATE INDEX i_data_for_fact on data_for_fact (_fact_id);
CREATE INDEX i_cards on cards (id);
CREATE INDEX i_cards_2 on cards (fact_view_id);
CREATE INDEX i_cards_3 on cards (_fact_id);
CREATE INDEX i_tags on tags (id);
CREATE INDEX i_tags_for_card on tags_for_card (_card_id);
CREATE INDEX i_tags_for_card_2 on tags_for_card (_tag_id);
CREATE INDEX i_log_timestamp on log (timestamp);
CREATE INDEX i_log_object_id on log (object_id);
COMMIT;
