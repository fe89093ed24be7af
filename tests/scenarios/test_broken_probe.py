from __future__ import annotations
import os, json
import httpx
import pytest
from bot.clock import SECOND, MINUTE, HOUR, DAY
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, WRITER, TWO, Signal, runs, COMMIT, Agent
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

class Odd(httpx.AsyncBaseTransport):
    def __init__(self, inner): self.inner=inner; self.mode=None; self.n=0; self.only=None
    async def handle_async_request(self, request):
        m=self.mode
        if m is None or (self.only and request.method!=self.only): return await self.inner.handle_async_request(request)
        self.n+=1
        R=lambda s,**k: httpx.Response(s, request=request, **k)
        if m=="500": return R(500,text="oops")
        if m=="html": return R(200,text="<html>maintenance</html>",headers={"content-type":"text/html"})
        if m=="garbage": return R(200,content=b'{"id": 3, "foo": [', headers={"content-type":"application/json"})
        if m=="null": return R(200,content=b'null', headers={"content-type":"application/json"})
        if m=="emptyobj": return R(200,content=b'{}', headers={"content-type":"application/json"})
        if m=="emptylist": return R(200,content=b'[]', headers={"content-type":"application/json"})
        if m=="trunc":
            a=await self.inner.handle_async_request(request); b=await a.aread()
            return R(a.status_code, content=b[:len(b)//2], headers={"content-type":"application/json"})
        if m=="403ra": return R(403,json={"message":"You have exceeded a secondary rate limit"},headers={"retry-after":"120"})
        if m=="429": return R(429,json={"message":"slow down"},headers={"retry-after":"60"})
        if m=="403lim": return R(403,json={"message":"API rate limit exceeded"},headers={"x-ratelimit-remaining":"0","x-ratelimit-reset":str(9999999999)})
        if m=="401": return R(401,json={"message":"Bad credentials"})
        if m=="403": return R(403,json={"message":"Resource not accessible"})
        if m=="404": return R(404,json={"message":"Not Found"})
        if m=="301": return R(301,headers={"location":"http://tracker.test/elsewhere"})

MODES=["500","html","garbage","null","emptyobj","emptylist","trunc","403ra","429","401","403","404","301"]
@pytest.mark.parametrize("when", ["start","approve","publish"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", [Agent(script=f'{RECORD}; {COMMIT}; trackside turn review --comment hi', gates=APPROVED)], ids=[""])
async def test_odd(scene: Stage, mode, when) -> None:
    odd=Odd(scene.faults._inner); scene.faults._inner=odd
    async with scene.bot():
        async def bad():
            odd.mode=mode
            for _ in range(60):
                scene.clock.advance(4*SECOND); await scene.turn()
            odd.mode=None
            scene.clock.advance(10*MINUTE)
            for _ in range(12):
                scene.clock.advance(30*SECOND); await scene.turn()
        out="ok"
        try:
            await scene.settle()
            thread = await scene.issue()
            if when=="start":
                await scene.label(thread); await bad()
            else: await scene.label(thread)
            await scene.labelled(thread,"hold:gate")
            await scene.settle()
            await scene.say(thread,"/approve")
            if when=="approve": await bad()
            if when=="publish":
                await scene.turn(); await bad()
            await scene.labelled(thread,"state:review")
        except BaseException as e:
            out=repr(e)[:200]
        works=await scene.works(thread)
        print("\nOUT", mode, when, scene.webhooks, out, odd.n, [(w.state.value,w.status,w.reason[:120],w.attempts,w.pull_request) for w in works], runs(scene.directory), len(await scene.ours(thread)))
        if out!="ok":
            for o in await scene.ours(thread): print("   ", o[:300].replace("\n","|"))
            print("   labels", await thread.labels())
        for w in works:
            await scene.tracker.comment(REPOSITORY, thread.number, "/cancel", by=MAINTAINER)
        await scene.settle()
