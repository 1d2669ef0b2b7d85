"""The plots appear in optuna-dashboard, as a browser shows it."""

import re
import shutil
import subprocess
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import optuna
import pytest
from optuna.distributions import FloatDistribution

from optuna_bkop import BKOPSampler
from optuna_bkop.plots import save_to_dashboard
from tests.support.constraints import set_constraint

optuna_dashboard = pytest.importorskip("optuna_dashboard")

TITLES = {
    "bkop-regret-certificate": "Regret estimate: at most ",
    "bkop-regret-bound": "Estimates with the interpolant's norm",
    "bkop-model-slices": "Model through the best trial, ",
    "bkop-batches": "14 trials, 8 of them in 8 planned batches",
}


class Server(ThreadingMixIn, WSGIServer):
    """Answers several requests of the browser at once."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Does not print requests."""

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture
def study(tmp_path: Path) -> optuna.Study:
    study = optuna.create_study(
        study_name="shown",
        storage=f"sqlite:///{tmp_path / 'study.db'}",
        sampler=BKOPSampler(n_startup_trials=6, seed=0),
    )
    study.optimize(
        lambda trial: trial.suggest_float("x", -1, 1) ** 2 + trial.suggest_float("y", 0, 1),
        n_trials=14,
    )
    return study


def page(study: optuna.Study, browser: str, profile: Path) -> str:
    """Return the study's page of the dashboard after its scripts have run, as HTML."""
    application = optuna_dashboard.wsgi(study._storage)
    with make_server("127.0.0.1", 0, application, Server, Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            run = subprocess.run(
                [
                    browser,
                    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                    *("--disable-background-networking", "--disable-component-update"),
                    *("--disable-sync", f"--user-data-dir={profile}"),
                    *("--virtual-time-budget=15000", "--dump-dom"),
                    f"http://127.0.0.1:{server.server_port}/dashboard/studies/{study._study_id}",
                ],
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            )
        finally:
            server.shutdown()
    return run.stdout


def test_a_browser_shows_the_plots(
    study: optuna.Study, tmp_path_factory: pytest.TempPathFactory
) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("Chromium is not installed (Debian's package is chromium).")
    assert save_to_dashboard(study) == list(TITLES)
    html = page(study, browser, tmp_path_factory.mktemp("profile"))
    # Each plot has an element of its own; plotly draws title and lines as SVG in it.
    parts = re.split(r'id="user-defined-plot:(bkop-[a-z-]+)"', html)
    shown = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(shown) == set(TITLES)
    for name, title in TITLES.items():
        assert title in shown[name].replace("&#39;", "'")
        assert 'class="trace scatter' in shown[name]


def test_saving_again_replaces_the_plots(study: optuna.Study) -> None:
    save_to_dashboard(study)
    keys = set(study._storage.get_study_system_attrs(study._study_id))
    assert save_to_dashboard(study) == list(TITLES)
    assert set(study._storage.get_study_system_attrs(study._study_id)) == keys


def test_a_study_with_one_parameter_has_no_batches() -> None:
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    assert "bkop-batches" not in save_to_dashboard(study)


def test_without_a_feasible_trial_the_plots_that_need_none_are_shown() -> None:
    space = {name: FloatDistribution(0, 1) for name in "xy"}
    for directions, expected in (
        (["minimize"], {"bkop-regret-certificate", "bkop-regret-bound", "bkop-batches"}),
        (["minimize", "maximize"], {"bkop-front", "bkop-batches"}),
    ):
        study = optuna.create_study(directions=directions, sampler=BKOPSampler(seed=0))
        for _ in range(4):
            trial = study.ask(space)
            set_constraint(trial, "c", 1.0)
            study.tell(trial, [trial.params["x"]] * len(directions))
        assert set(save_to_dashboard(study)) == expected
