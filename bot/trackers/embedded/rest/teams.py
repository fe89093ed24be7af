"""Teams, and who is in them; only looked at."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import people, teams
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import not_found
from bot.trackers.embedded.rest.answers import ok
from bot.trackers.embedded.rest.door import caller, desk
from bot.trackers.embedded.shapes.teams import membership_json, team_json
from bot.trackers.embedded.teams import Team


async def show(request: Request) -> Response:
    """Answer with a team."""
    account = await caller(request)
    async with desk(request).look(account) as act:
        team = await _team(act, request)
    return ok(request, team_json(act.links, team))


async def membership(request: Request) -> Response:
    """Answer with the membership of an account; one that is not in the team is not found."""
    account, login = await caller(request), request.path_params["login"]
    async with desk(request).look(account) as act:
        team = await _team(act, request)
        if not await teams.is_member(act.tx, team, await people.find(act.tx, login)):
            raise not_found()
    return ok(request, membership_json(act.links, team, login))


async def _team(act: Act, request: Request) -> Team:
    return await teams.find(act.tx, request.path_params["org"], request.path_params["slug"])


TEAM = "/orgs/{org}/teams/{slug}"

ROUTES = [
    Route(TEAM, show),
    Route(TEAM + "/memberships/{login}", membership),
]
