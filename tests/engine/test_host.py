"""Inside somebody's game: nothing of theirs is touched, nothing of ours stays, two of her are no trouble."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject

from kinesics.components.corpus import Corpus
from kinesics.components.errors import KinesicsError
from kinesics.components.face import Face
from kinesics.components.pose import Pose
from kinesics.components.skin import Body
from kinesics.engine_plugin import AvatarPlugin
from kinesics.engine_plugin.figure import Figure
from kinesics.engine_plugin.write_back import read_joints, read_vertices

from ..talker import *  # noqa: F403 - see the fixture below


def tasks(base: Any) -> list[str]:
    return sorted(task.name for task in base.taskMgr.getAllTasks())
