"""The composition root: the only place that names concrete adapters and puts them together."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import resources

import httpx
from fastapi import FastAPI

from bot.approvals.gate import ApprovalGate
from bot.clock import Clock
from bot.domain.turn import Turn
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.executors.shell import ShellExecutor
from bot.executors.toolbelt.routes import router as toolbelt_router
from bot.executors.workspace import Workspaces
from bot.host.attempts import Attempts, token_digest
from bot.host.bindings import Bindings
from bot.host.config import Config
from bot.host.http import http_app
from bot.host.instance import instance
from bot.host.loop import Loop, Pass
from bot.host.orders import Orders
from bot.host.places import Places, ScopePermission, Wanted
from bot.host.publishing import Publisher
from bot.host.recovery import RecoverPass, StopPass, TimersPass
from bot.host.start import Lease, StartPass
from bot.host.sweeping import SweepPass
from bot.host.ticks import every
from bot.playbook.find import builtin, load_all
from bot.playbook.playbook import Playbook
from bot.scheduler.launch import declare
from bot.storage.contract import Store, Tx
from bot.storage.migrate import packaged
from bot.storage.runner import Runner, ThreadRunner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect
from bot.trackers.contract import Tracker
from bot.trackers.github import open_tracker
from bot.views.standing import Explain
from projectors.apply import Projector
from webhooks.authority import Authority
from webhooks.desk import Desk
from webhooks.intake import Intake
from webhooks.receiver import Receiver
from webhooks.router import Router
from webhooks.sweep import Sweep
