"""A demo reference of one task, and right answers in which a mistake is made."""

from __future__ import annotations

import copy

import numpy as np

from organizer.files import write_files
from people_in_video.diagnosis.explanation import repairs_of
from people_in_video.home_loaded import at_home
from quality.demo_data import load_against
from quality.task import quality_tasks


class Demo:
    """A demo reference that is loaded as at home, with any level of detail."""

    def __init__(self, task_id, folder, size=1):
        self.task = quality_tasks()[task_id]
        self.folder = folder
        self.task.write_reference(folder / "source", seed=1, size=size)
        self._right_answer = self.prediction(1, 0.0)
        self._n_written = 0
        self._loaded = {}

    def loaded(self, detail="full"):
        if detail not in self._loaded:
            options = {"detail": detail, "interval": False}
            folders = self.folder / "source", self.folder / detail
            self._loaded[detail] = at_home(load_against(self.task.id, *folders, **options))
        return self._loaded[detail]

    def prediction(self, seed, noise):
        return self.task.correct_prediction(self.folder / "source", np.random.default_rng(seed), noise)

    def right_answer(self):
        """Return the right answer, which may be changed."""
        return copy.deepcopy(self._right_answer)

    def with_mistake(self, *names):
        """Return the right answer with mistakes of these names."""
        prediction = self.right_answer()
        for name in names:
            (mistake,) = [mistake for mistake in self.task.mistakes if mistake.name == name]
            prediction = mistake.change(prediction)
        return prediction

    def read(self, prediction, detail="full"):
        self._n_written += 1
        folder = self.folder / f"submission{self._n_written}"
        write_files(self.task.files(prediction), folder)
        return self.loaded(detail).read(folder)

    def result(self, prediction, detail="full"):
        return self.loaded(detail).score(self.read(prediction, detail))

    def mistake_notes(self, prediction, detail="full"):
        """Return the notes on likely mistakes."""
        return [note for note in self.result(prediction, detail).notes if note.is_mistake]

    def repairs(self, prediction):
        loaded = self.loaded()
        submission = self.read(prediction).content
        statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
        return repairs_of(loaded, submission, statistics)
