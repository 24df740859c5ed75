"""Checks that the trainers' own loaders read the output of `guiagent export`, without GPU or model.

Usage: python eval/practice/loaders.py RUNS... in an environment of its own, made with:

    pip install torch datasets trl openenv_core ray qwen-vl-utils torchdata tensordict==0.10.0 pyarrow pandas
    pip install "transformers>=5.5.3,<5.11" hydra-core codetiming && pip install --no-deps verl
    pip install -e . -e platforms -e eval
"""

from __future__ import annotations

import base64
import io
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from guiagent_eval.cli.export import export
from PIL import Image

STEPS = 2
"""Optimizer steps of a trainer, with a random model of two layers."""


def export_runs(runs: Sequence[str], form: str, out: Path, *more: str) -> Path:
    """The folder of an export in a format."""
    folder = out / "-".join((form, *more)).replace("--", "")
    done = CliRunner().invoke(export, [*runs, "--format", form, "--out", str(folder), *more])
    if done.exit_code:
        raise SystemExit(f"{form}: {done.output} {done.exception}")
    return folder


def tokenizer(texts: Sequence[str]) -> Any:
    """A tokenizer made from the texts themselves, with Qwen 3's chat template as TRL trains with it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    special = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=special, initial_alphabet=alphabet)
    made.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=made, pad_token=special[0], eos_token=special[2])
    fast.chat_template = next(path.read_text() for path in templates() if path.stem == "qwen3_training")
    return fast


def templates() -> list[Path]:
    """The chat templates of TRL."""
    files = distribution("trl").files or []
    return [Path(str(one.locate())) for one in files if one.suffix == ".jinja"]


def trl(runs: Sequence[str], out: Path) -> str:
    """`datasets` reads the rows, TRL finds conversations in them, and SFTTrainer makes its steps."""
    from datasets import Sequence as Many
    from datasets import load_dataset
    from transformers import Qwen2Config, Qwen2ForCausalLM
    from trl import SFTConfig, SFTTrainer
    from trl.data_utils import is_conversational

    folder = export_runs(runs, "trl", out)
    rows = load_dataset("json", data_files=str(folder / "train.jsonl"), split="train")
    assert all(is_conversational(row) for row in rows)
    from datasets import Image as Picture

    whole = rows.map(lambda row: {"images": [str(folder / name) for name in row["images"]]})
    seen = whole.cast_column("images", Many(Picture()))
    pictures = sum(len(row["images"]) for row in seen)
    texts = load_dataset(
        "json", data_files=str(export_runs(runs, "trl", out, "--no-pictures") / "train.jsonl"), split="train"
    )
    words = tokenizer([json.dumps(row["messages"]) for row in texts.select(range(20))])
    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
    asked = SFTConfig(
        assistant_only_loss=True,
        output_dir=str(out / "sft"),
        max_steps=STEPS,
        per_device_train_batch_size=2,
        max_length=512,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        bf16=False,
        logging_strategy="no",
        disable_tqdm=True,
    )
    trainer = SFTTrainer(
        model=Qwen2ForCausalLM(config), args=asked, train_dataset=texts, processing_class=words
    )
    done = trainer.train()
    assert done.global_step == STEPS
    return f"{len(rows)} rows, {pictures} pictures; SFTTrainer made {done.global_step} steps"


def verl_sft(runs: Sequence[str], out: Path) -> str:
    """verl's multi-turn SFT data set tokenizes every row, and only answers count for the loss."""
    import pandas
    from omegaconf import OmegaConf
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset

    path = export_runs(runs, "verl-sft", out, "--no-pictures") / "train.parquet"
    frame = pandas.read_parquet(path)
    words = tokenizer([one["content"] for row in frame["messages"][:20] for one in row])
    config = OmegaConf.create({"max_length": 32_768, "truncation": "error", "pad_mode": "no_padding"})
    rows = MultiTurnSFTDataset([str(path)], words, config)
    for place in range(len(rows)):
        row = rows[place]
        said = words.decode(row["input_ids"][row["loss_mask"].bool()])
        answers = [one["content"] for one in frame["messages"][place] if one["role"] == "assistant"]
        assert all(answer in said for answer in answers) and "Task:" not in said
    shown = pandas.read_parquet(export_runs(runs, "verl-sft", out) / "train.parquet")
    pictures = [Image.open(io.BytesIO(one["bytes"])).size for row in shown["images"] for one in row]
    return f"{len(rows)} rows, {len(pictures)} pictures"


def verl_rl(runs: Sequence[str], out: Path) -> str:
    """verl's RL data set keeps every prompt."""
    from omegaconf import OmegaConf
    from verl.utils.dataset.rl_dataset import RLHFDataset

    path = export_runs(runs, "verl-rl", out, "--no-pictures") / "train.parquet"
    words = tokenizer(["any text will do for a tokenizer of bytes"])
    config = OmegaConf.create(
        {"max_prompt_length": 65_536, "filter_overlong_prompts_workers": 1, "cache_dir": str(out)}
    )
    rows = RLHFDataset([str(path)], words, config)
    cases = [json.loads(rows[place]["reward_model"]["ground_truth"]) for place in range(len(rows))]
    assert all(case["task"] for case in cases)
    return f"{len(rows)} rows"


def openenv(runs: Sequence[str], out: Path) -> str:
    """OpenEnv's collector finds every episode, and each is an EpisodeRecord."""
    from openenv.core.harness.collect import EpisodeRecord, RolloutSerializer

    folder = export_runs(runs, "openenv", out)
    found = RolloutSerializer(folder).collected_episode_ids()
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    records = [EpisodeRecord(**json.loads(line)) for line in lines]
    assert {one.episode_id for one in records} == found
    return f"{len(found)} episodes, mean reward {sum(one.reward for one in records) / len(records):.3f}"


def arpo(runs: Sequence[str], out: Path) -> str:
    """The rows are ARPO's three lists, with pictures that can be opened; ARPO itself is on no index."""
    lines = (export_runs(runs, "arpo", out) / "trajectories.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    parts = [part for row in rows for one in row["history_messages"] for part in one["content"]]
    images = [part["image"].partition(",")[2] for part in parts if part["type"] == "image"]
    sizes = [Image.open(io.BytesIO(base64.b64decode(code))).size for code in images]
    assert all(float(row["eval_results"]) >= -1 and row["task_configs"]["id"] for row in rows)
    return f"{len(rows)} rows, {len(sizes)} pictures"


def os_genesis(runs: Sequence[str], out: Path) -> str:
    """`datasets` reads the triples, and their pictures are there."""
    from datasets import load_dataset

    folder = export_runs(runs, "os-genesis", out)
    rows = load_dataset("json", data_files=str(folder / "triples.jsonl"), split="train")
    assert all((folder / row[f"screen_{when}"]).is_file() for row in rows for when in ("before", "after"))
    return f"{len(rows)} triples, {len({*rows['state_before'], *rows['state_after']})} states"


CHECKS: tuple[Callable[[Sequence[str], Path], str], ...] = (trl, verl_sft, verl_rl, openenv, arpo, os_genesis)


def main(runs: Sequence[str]) -> int:
    """Check all formats; returns 1 if a loader refused one, else 0. Missing loaders are skipped and named."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for check in CHECKS:
            try:
                print(f"{check.__name__:12} {check(runs, Path(folder))}", flush=True)
            except ModuleNotFoundError as missing:
                print(f"{check.__name__:12} not tried: {missing.name} is not installed", flush=True)
            except Exception:  # noqa: BLE001 - after any error of a loader, the next one is tried
                wrong += 1
                print(f"{check.__name__:12} REFUSED:\n{traceback.format_exc(limit=-3)}", flush=True)
    return min(1, wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
