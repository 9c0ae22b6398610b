"""What the command line does with poses; each function takes a `spcviz.problems.problem.Run`."""

from dataclasses import replace

from spcviz.problems.pose.data import buffy
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.model.train import SETTINGS
from spcviz.problems.pose.model.train import train as train_models
from spcviz.problems.pose.paper import anyone, ensemble, measure, reproduce


def train(run):
    """Train the pose models on Buffy's training episodes; yields a line for each that is stored."""
    dev = buffy.load_buffy(stored.data_folder(), "dev")
    for name, (settings, methods) in SETTINGS.items():
        if run.quick:
            settings = replace(settings, n_frames=32, n_clips=4, n_epochs=1, n_negatives=20)
        trained = train_models(settings, methods, tick=run.tick)
        names = (name, stored.HAND_SET) if name == stored.NAME else (name,)
        for own, model in zip(names, trained):
            found = measure.measure(model, dev.images, dev.limbs)
            last = measure.rows(found, dev.limbs, dev.clips)[-1]
            path = stored.save_pose(run.models, model, settings, metrics={"development": last}, name=own)
            yield (
                f"{path}: upper arms {last['pcp50_upper_arms']:.1f} % (PCP 0.5), survivors "
                f"{last['oracle_pcp25']:.1f} % at {last['efficiency']:.1f} % pruned, on development frames"
            )


def cascade(run):
    """Fig. 5.5(c)."""
    return reproduce.reproduce_cascade(
        run.models, folds=run.folds, quick=run.quick, work=run.work, executor=run.executor, tick=run.tick
    )


def over_time(run):
    """Fig. 5.5(a, b)."""
    return ensemble.reproduce_ensemble(
        run.models, folds=run.folds, quick=run.quick, work=run.work, executor=run.executor, tick=run.tick
    )


def people(run):
    """Pictures that the model was never trained on."""
    return anyone.reproduce_people(
        run.models, folds=run.folds, quick=run.quick, work=run.work, executor=run.executor, tick=run.tick
    )
