"""Makes two studies in a database of the present folder."""

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
for name in ("bread", "cake"):
    optuna.create_study(storage="sqlite:///studies.db", study_name=name)
