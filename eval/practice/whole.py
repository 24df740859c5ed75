"""The whole, once: gathers verified episodes, trains a small policy on them, measures it before and after.

Usage: python eval/practice/whole.py --out runs/whole

in an environment made with:

    pip install torch "transformers[serving]" trl datasets accelerate
    pip install -e '.[eval,models]' -e platforms -e eval

Without `--weights FOLDER` the policy is a new transformer with random weights and a tokenizer made of the
export. Each stage leaves its result in the folder, so the same command goes on after Ctrl+C. The seeds of the
training episodes and of the measured ones are disjoint.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

TASKS = "click-test,click-test-2,focus-text-2,enter-text"
TRAINED, HELD_OUT = 20_000, 10_000
"""The first seed of the training episodes and of the measured ones."""
MOST = 10_000
"""Episodes of a task, at most: more would run into the other seeds."""
TEMPLATE = """{% for one in messages %}<|im_start|>{{ one.role }}
{% if one.role == 'assistant' %}{% generation %}{{ one.content }}<|im_end|>{% endgeneration %}
{% else %}{{ one.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
MODEL = {
    "n_embd": 128,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 1024,
    "multi_query": False,
    "attn_pdrop": 0.0,
    "embd_pdrop": 0.0,
    "resid_pdrop": 0.0,
}
"""The new transformer, with learnt positions and less than a million weights."""
STARTED = 180.0
"""Seconds until the server of the model has to answer."""
SAVED = 100
"""Training steps between two checkpoints."""
IGNORED = -100
"""The label of a token that does not count for the loss."""


@contextlib.contextmanager
def without_interruption() -> Iterator[None]:
    """Hold Ctrl+C back until the block is over."""
    held: list[int] = []
    usual = {
        one: signal.signal(one, lambda number, _: held.append(number))
        for one in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for one, handler in usual.items():
            signal.signal(one, handler)
    if held:
        raise KeyboardInterrupt


@contextlib.contextmanager
def running(command: Sequence[str], log: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive the block. It gets Ctrl+C from here alone, and so just once."""
    process = None
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(log.open("wb")) if log else None
        try:
            with without_interruption():
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True
                )
            yield process
        finally:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def guiagent(seconds: float, *words: str) -> None:
    """Run a command of guiagent within a time."""
    with running([sys.executable, "-m", "gui_agent", *words]) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"`guiagent {' '.join(words[:2])}` took more than {seconds:.0f} s") from None
    if code:
        raise SystemExit(f"`guiagent {' '.join(words)}` ended with exit code {code}")


def play(folder: Path, seconds: float, asked: Sequence[str], again: Sequence[str] = ()) -> None:
    """A run of MiniWoB++ in a folder, or the rest of it."""
    if folder.is_dir():
        guiagent(seconds, "eval", "resume", str(folder), *again)
    else:
        guiagent(seconds, "eval", "miniwob", "--out", str(folder), *asked, *again)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text("utf-8").splitlines()]


def make_start(rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Save a new model with random weights, and a tokenizer made of the conversations.

    The system prompt, equal in all of them, is one token, so that the conversations are short.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPTBigCodeConfig, GPTBigCodeForCausalLM, PreTrainedTokenizerFast, set_seed

    system = {one["content"] for row in rows for one in row["messages"] if one["role"] == "system"}
    texts = [
        f"{one['role']}\n{one['content']}"
        for row in rows
        for one in row["messages"]
        if one["role"] != "system"
    ]
    made = Tokenizer(models.BPE())
    pieces = pre_tokenizers.Split(Regex(r'\d|\n|\w+(?=\\?")'), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([pieces, pre_tokenizers.ByteLevel(False, use_regex=False)])
    made.decoder = decoders.ByteLevel()
    marks = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=2000, special_tokens=marks, initial_alphabet=alphabet, show_progress=False
        ),
    )
    words = PreTrainedTokenizerFast(tokenizer_object=made, pad_token=marks[0], eos_token=marks[2])
    words.add_tokens([AddedToken(text, normalized=False) for text in sorted(system)])
    words.chat_template = TEMPLATE
    set_seed(0)
    ids = {"pad_token_id": words.pad_token_id, "eos_token_id": words.eos_token_id, "bos_token_id": None}
    GPTBigCodeForCausalLM(GPTBigCodeConfig(vocab_size=len(words), **MODEL, **ids)).save_pretrained(folder)
    words.save_pretrained(folder)


def learnt_tokens(trainer: Any, rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """The number of tokens in the trainer's own rows, and of those that count for the loss.

    Raises:
        SystemExit: others count than those of the answers.
    """
    every = counted = 0
    for tokens, row in zip(trainer.train_dataset, rows, strict=True):
        learnt = [label for label in tokens["labels"] if label != IGNORED]
        said = trainer.processing_class.decode(learnt, clean_up_tokenization_spaces=False)
        every, counted = every + len(tokens["labels"]), counted + len(learnt)
        for one in row["messages"]:
            answer = one["role"] == "assistant"
            if (one["content"] in said) != answer:
                raise SystemExit(
                    f"the {one['role']}'s message {one['content'][:80]!r} counts wrongly for the loss"
                )
    return every, counted


def train(start: str, rows: Sequence[Mapping[str, Any]], folder: Path, given: argparse.Namespace) -> None:
    """Train the weights in a folder on the answers with SFTTrainer, and save the result and its figures."""
    import torch
    from datasets import Dataset
    from transformers import AutoTokenizer, TrainerCallback
    from trl import SFTConfig, SFTTrainer

    over = time.monotonic() + 60 * given.minutes

    class Limit(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            control.should_training_stop |= time.monotonic() > over

    torch.set_num_threads(given.threads)
    checkpoints = folder.with_name("checkpoints")
    trainer = SFTTrainer(
        start,
        SFTConfig(
            str(checkpoints),
            assistant_only_loss=True,
            max_length=None,
            num_train_epochs=given.epochs,
            per_device_train_batch_size=given.batch,
            learning_rate=given.rate,
            lr_scheduler_type="constant_with_warmup",
            warmup_steps=50,
            adam_beta2=0.95,
            weight_decay=0.1,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            save_steps=SAVED,
            save_total_limit=1,
            logging_steps=10,
            report_to=[],
            seed=0,
        ),
        train_dataset=Dataset.from_list([{"messages": row["messages"]} for row in rows]),
        processing_class=AutoTokenizer.from_pretrained(start),
        callbacks=[Limit()],
    )
    every, counted = learnt_tokens(trainer, rows)
    weights = trainer.model.num_parameters()
    print(f"{len(rows)} episodes, {every} tokens, {counted} of them answers; {weights} weights", flush=True)
    trainer.train(resume_from_checkpoint=any(checkpoints.glob("checkpoint-*")))
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    trainer.save_model(str(folder))
    figures = {
        "episodes": len(rows),
        "tokens": every,
        "answers": counted,
        "weights": weights,
        "steps": trainer.state.global_step,
        "loss": [losses[0], losses[-1]] if losses else [],
    }
    folder.with_suffix(".json").write_text(json.dumps(figures, indent=1))


@contextlib.contextmanager
def served(weights: str, log: Path, threads: int) -> Iterator[str]:
    """The address of a chat server for a folder of weights, by transformers' own command."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = str(one.getsockname()[1])
    asked = ["serve", weights, "--host", "127.0.0.1", "--port", port, "--device", "cpu"]
    # The server reads its input until we are gone, however we end, and then ends too.
    called = f"""import os, sys, threading, torch
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
torch.set_num_threads({threads})
from transformers.cli.transformers import main
sys.exit(main())"""
    with running([sys.executable, "-c", called, *asked], log) as process:
        over = time.monotonic() + STARTED
        while not answers(f"http://127.0.0.1:{port}/health"):
            if process.poll() is not None or time.monotonic() > over:
                raise SystemExit(f"the server of {weights} does not answer; see {log}")
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1#{weights}"


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as told:
            return bool(told.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def measure(weights: str, folder: Path, given: argparse.Namespace) -> None:
    """Let a model do the held-out episodes."""
    asked = ["--tasks", given.tasks, "--episodes", str(given.measured), "--seeds", f"{HELD_OUT}-"]
    asked += ["--planner", "model", "--max-steps", "24", "--slowness", "6", "--trace", "all"]
    for name, value in (
        ("model.form", "json"),
        ("model.pictures", 0),
        ("model.answer_tokens", 64),
        ("model.verifier", "false"),
        ("model.seconds", 60),
        ("trace.requests", "true"),
    ):
        asked += ["--set", f"{name}={value}"]
    with served(weights, folder.with_suffix(".log"), given.threads) as address:
        play(folder, given.measured * 60 * given.tasks.count(",") + 600, asked, ["--model", address])


def report_of(out: Path) -> dict[str, Any]:
    """Both success rates, their paired difference with its interval, and the figures of the training."""
    from guiagent_eval.records import EvalFolder
    from guiagent_eval.statistics import compare

    before, after = (EvalFolder(out / name).records() for name in ("before", "after"))
    found = compare(before, after)
    rates = {
        name: sum(one.success for one in records) / len(records)
        for name, records in (("before", before), ("after", after))
    }
    return (
        json.loads((out / "trained.json").read_text()) | rates | asdict(found.gain) | {"pairs": found.pairs}
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/whole"), help="folder of all results")
    parser.add_argument("--weights", default="", help="folder that transformers loads, with a chat template")
    parser.add_argument("--tasks", default=TASKS, help="of MiniWoB++, with commas")
    parser.add_argument("--gathered", type=int, default=150, help="training episodes of each task")
    parser.add_argument("--measured", type=int, default=15, help="held-out episodes of each task")
    parser.add_argument("--epochs", type=float, default=20)
    parser.add_argument("--minutes", type=float, default=14, help="most time of the training")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning")
    parser.add_argument("--threads", type=int, default=1, help="of the training and of the model's server")
    parser.add_argument("--workers", default="2", help="browsers that gather episodes")
    given = parser.parse_args()
    if not 0 < given.gathered <= MOST or not 0 < given.measured <= MOST:
        parser.error(f"--gathered and --measured are between 1 and {MOST}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out: Path = given.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    gathered, data, start, trained = (out / name for name in ("gathered", "data", "start", "trained"))
    began = time.monotonic()

    def say(words: str) -> None:
        print(f"== {(time.monotonic() - began) / 60:.1f} min: {words}", flush=True)

    say("gather verified episodes")
    seeds = ["--episodes", str(given.gathered), "--seeds", f"{TRAINED}-", "--trace", "all"]
    play(gathered, 3600, ["--tasks", given.tasks, *seeds], ["--workers", given.workers])
    say("export those that went well")
    if not data.is_dir():
        part = data.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        chosen = ["--format", "trl", "--only", "won", "--no-pictures"]
        guiagent(900, "export", str(gathered), *chosen, "--out", str(part))
        part.rename(data)
    rows = rows_of(data)
    weights = given.weights or str(start)
    if not given.weights and not (start / "tokenizer.json").is_file():
        make_start(rows, start)
    say("measure before")
    measure(weights, out / "before", given)
    say("train")
    if not trained.with_suffix(".json").is_file():
        train(weights, rows, trained, given)
    say("measure after")
    measure(str(trained), out / "after", given)
    guiagent(120, "eval", "compare", str(out / "before"), str(out / "after"))
    report = report_of(out)
    (out / "report.json").write_text(json.dumps(report, indent=1))
    say(
        "success {before:.1%} before, {after:.1%} after; difference {value:+.1%} (95 %: {low:+.1%} to "
        "{high:+.1%}), {pairs} held-out episodes; {steps} steps, loss {loss}".format(**report)
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on from here")
