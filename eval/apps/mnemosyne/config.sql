CREATE TABLE config(key text primary key, value text);
INSERT INTO config VALUES('first_run','False');
INSERT INTO config VALUES('upload_science_logs','False');
INSERT INTO config VALUES('show_daily_tips','False');
INSERT INTO config VALUES('save_after_n_reps','1');
