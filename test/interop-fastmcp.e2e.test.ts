import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere, waitFor } from '@longshore/testing';
import { FastMcpClient, FastMcpProcess, missingPythonClients } from './support/fastmcp-client.ts';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';

/** FastMCP, unmodified, with its package of tasks. It sends requests of tasks without the header Mcp-Name. */
describeWhere('FastMCP, Postgres only', missingPythonClients(), () => {
  let interop: InteropStack;
  let python: FastMcpProcess;
  let fastmcp: FastMcpClient;

  beforeAll(async () => {
    [interop, python] = await Promise.all([
      startInteropStack({ mode: 'postgres' }),
      FastMcpProcess.start(),
    ]);
    fastmcp = new FastMcpClient(python, interop.url.href);
  });
  afterAll(async () => {
    await python.close();
    await interop.stop();
  });

  it('lists the tools', async () => {
    expect(await fastmcp.tools()).toEqual(expect.arrayContaining(['echo', 'ask_user', 'hang']));
  });

  it('calls a tool, which is a task it keeps to itself', async () => {
    expect(await fastmcp.call('echo', { text: 'hi' })).toMatchObject({
      structured: { text: 'hi' },
    });
  });

  it('calls a tool that fails', async () => {
    await expect(fastmcp.call('fail', { message: 'no paper' })).rejects.toThrow(
      'ToolError: no paper',
    );
  });

  it('takes a task from its start to its result', async () => {
    const task = await fastmcp.start('steps', { steps: 3, stepMs: 100 });
    expect(await fastmcp.wait(task)).toBe('completed');
    expect(await fastmcp.result(task)).toMatchObject({ structured: { attempt: 1 } });
  });

  it('answers what a task asks', async () => {
    const task = await fastmcp.start('ask_user');
    expect(await fastmcp.wait(task, 'input_required')).toBe('input_required');
    expect(await fastmcp.result(task)).toMatchObject({ text: ['Hello, Ada!'] });
    expect(await fastmcp.asked()).toContain('Your name?');
  });

  it('cancels a task', async () => {
    const task = await fastmcp.start('hang');
    await fastmcp.cancel(task);
    expect(await fastmcp.wait(task)).toBe('cancelled');
    await expect(fastmcp.result(task)).rejects.toThrow(`Task ${task} was cancelled`);
  });

  it('is refused where the header is insisted on', async () => {
    const url = await interop.stack.startApi({ COMPAT_TASK_NAME: 'required' });
    const strict = new FastMcpClient(python, url);
    await waitFor(async () => (await strict.tools()).includes('echo'), {
      what: 'the catalogue is there',
    });
    await expect(strict.call('echo', { text: 'hi' })).rejects.toThrow('Mcp-Name is missing');
  });
});
