"""Two optimizer steps of TRL's GRPOTrainer against MiniWoB++, on the CPU with a random model of two layers.

Usage: python eval/practice/grpo.py in an environment with torch, datasets, trl, jmespath and guiagent[eval].

The tokens of the tokenizer made here are whole calls, and no other token is drawn: so even a random model
acts, and some of its episodes earn a reward.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from typing import Any

from guiagent_eval.practice.trl import MiniWobTools

STEPS, GROUP = 2, 4
TASKS = ("click-test", "click-test-2", "click-button", "focus-text")


def call(name: str, **arguments: object) -> str:
    """A call in the template's form."""
    said = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_call>\n{said}\n</tool_call>"


def random_model(words: Any) -> Any:
    """A model of two layers for the tokens of a tokenizer."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
        bos_token_id=None,
    )
    return Qwen2ForCausalLM(config)


def main() -> int:
    # Not above: each worker process loads this file again.
    from datasets import Dataset
    from loaders import tokenizer
    from trl import GRPOConfig, GRPOTrainer
    from trl.chat_template_utils import qwen3_chat_template

    calls = [call("click", element=number) for number in range(1, 7)] + [call("finish", answer="")]
    words = tokenizer(["Task: Click the button.", '[1] button "Submit"', *calls])
    words.chat_template, words.padding_side = qwen3_chat_template, "left"
    words.add_special_tokens({"additional_special_tokens": calls})
    known = {words.convert_tokens_to_ids(one) for one in calls} | {words.eos_token_id}
    rows = [
        {"prompt": [{"role": "user", "content": ""}], "task": task, "seed": seed}
        for task, seed in itertools.product(TASKS, range(2))
    ]
    acted: list[str] = []

    class Watched(MiniWobTools):
        def _say(self, answer: dict[str, object]) -> str:
            acted.append(json.dumps(answer))
            return super()._say(answer)

    model = random_model(words)
    before = model.lm_head.weight.detach().clone()
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model,
            args=GRPOConfig(
                folder,
                use_cpu=True,
                max_steps=STEPS,
                learning_rate=0.1,
                per_device_train_batch_size=GROUP,
                num_generations=GROUP,
                max_completion_length=2000,
                max_tool_calling_iterations=3,
                generation_kwargs={"suppress_tokens": [n for n in range(len(words)) if n not in known]},
                logging_steps=1,
                report_to=[],
                save_strategy="no",
                beta=0.0,
            ),
            train_dataset=Dataset.from_list(rows),
            processing_class=words,
            environment_factory=Watched,
        )
        trainer.train()
    told = [entry for entry in trainer.state.log_history if "reward" in entry]
    for entry in told:
        print({name: entry[name] for name in entry if name in ("loss", "reward", "reward_std", "grad_norm")})
    moved = float((model.lm_head.weight.detach() - before).abs().max())
    print(f"{trainer.state.global_step} optimizer steps, {len(acted)} answers, weights moved by {moved:.4f}")
    return 0 if trainer.state.global_step == STEPS and acted else 1


if __name__ == "__main__":
    sys.exit(main())
