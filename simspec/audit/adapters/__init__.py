"""Adapters: functions of known signatures, and of known packages, as samplers to audit.

An adapter takes any callable of its signature; nothing of the packages is copied, and none is needed to import this.
"""

from __future__ import annotations

from simspec.audit.adapters.form import Adapted, UniformSampler, by_uniforms
from simspec.audit.adapters.targets import FORMS, TARGETS, Target, targets_of

__all__ = ["FORMS", "TARGETS", "Adapted", "Target", "UniformSampler", "by_uniforms", "targets_of"]
