.PHONY: setup demo check test bench docs

setup:  ## system packages, .venv, the package and its tools
	scripts/setup
demo: setup  ## the built-in planner fills in a form in a real browser
	scripts/demo
check: setup  ## format, lint, types, layers
	scripts/check
test:  ## the quick tests, with the programs they work on; `scripts/test all` for every one
	scripts/setup programs
	.venv/bin/python -m pytest -n auto --dist loadscope --no-loadscope-reorder
bench: setup  ## time per step, by part
	.venv/bin/python eval/bench/bench_steps.py
	.venv/bin/python eval/bench/bench_model_step.py
	.venv/bin/python eval/bench/bench_atspi.py
	.venv/bin/python eval/bench/bench_vision.py
	.venv/bin/python eval/bench/bench_guest.py
	.venv/bin/python eval/bench/bench_android.py
	# Without the library for X that it asks for, which overwrites the one that desktops use.
	.venv/bin/python -m pip install -q -c constraints.txt --no-deps pyautogui pyscreeze pytweening pymsgbox
	.venv/bin/python eval/bench/bench_desktop.py
	.venv/bin/python -m pip install -q -c constraints.txt -e ".[bench]"
	.venv/bin/python eval/bench/bench_miniwob.py $(if $(BROWSERGYM),--browsergym $(BROWSERGYM))
docs:  ## the documentation site, in site/
	.venv/bin/python -m pip install -q -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict
