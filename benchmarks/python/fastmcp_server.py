"""FastMCP with Docket on Redis, with the settings that serve it best: answers in JSON, no sessions, no logs.

Its worker runs in the server's process, as FastMCP ships it. The first line on stdout says that it listens, and where.
"""

import asyncio
import json
import os
import socket
from datetime import timedelta

import uvicorn
from fastmcp import FastMCP
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension

server = FastMCP("peer")
server.add_extension(
    TasksExtension(
        # Under 64 clients the 100 connections of redis-py run out, and what finds none fails.
        url=os.environ["REDIS_URL"] + "?max_connections=1000",
        name=os.environ["DOCKET_NAME"],
        concurrency=64,
    )
)


@server.tool(task=TaskConfig(mode="required", poll_interval=timedelta(milliseconds=20)))
async def noop(text: str, n: int = 0) -> str:
    """Does nothing."""
    return "done"


async def main():
    app = server.http_app(json_response=True, stateless_http=True)
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    http = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
    serving = asyncio.create_task(http.serve(sockets=[listener]))
    while not http.started and not serving.done():
        await asyncio.sleep(0.01)
    port = listener.getsockname()[1]
    print(json.dumps({"url": f"http://127.0.0.1:{port}/mcp"}), flush=True)
    await serving


asyncio.run(main())
