"""FastMCP's client, driven by a test: a line of JSON in, a line of JSON out.

A command is {"do": ..., "url": ..., ...}; its answer is {"value": ...} or {"error": ...}. The first line says that
it is ready. Ends with its input.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from fastmcp import Client
from fastmcp_tasks import call_tool_task

asked = []
tasks = {}


async def answer(message, response_type, params, context):
    asked.append(message)
    return response_type(name="Ada")


def contents(result):
    return {
        "text": [block.text for block in result.content],
        "structured": result.structured_content,
    }


async def obey(client, command):
    match command["do"]:
        case "tools":
            return [tool.name for tool in await client.list_tools()]
        case "call":
            return contents(await client.call_tool(command["tool"], command["arguments"]))
        case "start":
            task = await call_tool_task(client, command["tool"], command["arguments"])
            tasks[task.task_id] = task
            return task.task_id
        case "wait":
            return (await tasks[command["task"]].wait(state=command["state"])).status
        case "result":
            return contents(await tasks[command["task"]].result())
        case "cancel":
            return await tasks[command["task"]].cancel()
        case "asked":
            return asked


def tell(answer):
    print(json.dumps(answer), flush=True)


async def main():
    async with AsyncExitStack() as open_clients:
        clients = {}
        tell({"value": "ready"})
        while line := await asyncio.to_thread(sys.stdin.readline):
            command = json.loads(line)
            url = command["url"]
            try:
                if url not in clients:
                    client = Client(url, elicitation_handler=answer)
                    clients[url] = await open_clients.enter_async_context(client)
                tell({"value": await obey(clients[url], command)})
            except Exception as error:
                tell({"error": f"{type(error).__name__}: {error}"})


asyncio.run(main())
