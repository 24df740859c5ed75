"""Makes two studies in a database in the current folder."""

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
for name in ("bread", "cake"):
    optuna.create_study(storage="sqlite:///studies.db", study_name=name)
