// Ends what a test run leaves behind when it is killed. It is told, one JSON object a line on its standard
// input, what to do if its parent dies: {"id","pid","signal"} kills a process, {"id","remove"} removes a
// folder, {"id"} alone takes that back. When the input ends the parent is gone, however it went. See
// src/processes/guardian-process.ts for the other end.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const duties = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...duty } = JSON.parse(line);
  if (duty.pid === undefined && duty.remove === undefined) duties.delete(id);
  else duties.set(id, duty);
}

const pids = [];
for (const { pid, signal } of duties.values()) {
  if (pid === undefined) continue;
  try {
    process.kill(pid, signal);
    pids.push(pid);
  } catch {
    // It is gone already.
  }
}

// Folders go last: servers still write to them while they stop.
const until = Date.now() + 15_000;
while (Date.now() < until && pids.some(isAlive)) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
for (const { remove } of duties.values()) {
  // What somebody still writes there is removed by a later try.
  if (remove !== undefined) rmSync(remove, { recursive: true, force: true, maxRetries: 20 });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
