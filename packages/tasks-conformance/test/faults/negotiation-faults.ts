import type { Fault } from './fault.ts';
import { errorOf, resultOf, without } from './rewrite.ts';

const capabilities = (change: (declared: Record<string, unknown>) => object) =>
  resultOf('initialize', (result) => ({
    ...result,
    capabilities: change(result['capabilities'] as Record<string, unknown>),
  }));

export const NEGOTIATION_FAULTS: readonly Fault[] = [
  {
    name: 'answers every client with 2025-06-18',
    breaks: 'lifecycle-version-echo',
    found: ['lifecycle-version-echo'],
    skips: 'any',
    answer: resultOf('initialize', (result) => ({ ...result, protocolVersion: '2025-06-18' })),
  },
  {
    name: 'does not declare tasks',
    breaks: 'tasks-capability-declared',
    found: ['tasks-capability-declared'],
    skips: 'any',
    answer: capabilities((declared) => without(declared, 'tasks')),
  },
  {
    name: 'declares tasks.list as true',
    breaks: 'tasks-capability-shape',
    found: ['tasks-capability-shape'],
    answer: capabilities((declared) =>
      declared['tasks'] === undefined
        ? declared
        : { ...declared, tasks: { ...(declared['tasks'] as object), list: true } },
    ),
  },
  {
    name: 'makes tasks at a revision that has none',
    breaks: 'tasks-undeclared-ignored',
    found: ['tasks-undeclared-ignored'],
    switches: ['tasks at any revision'],
  },
  {
    name: 'lists a tool whose taskSupport is sometimes',
    breaks: 'tasks-tool-support-values',
    found: ['tasks-tool-support-values'],
    answer: resultOf('tools/list', ({ tools }) => ({
      tools: [
        ...(tools as object[]),
        { name: 'x', inputSchema: { type: 'object' }, execution: { taskSupport: 'sometimes' } },
      ],
    })),
  },
  {
    name: 'runs forbidden tools as tasks',
    breaks: 'tasks-tool-forbidden',
    found: ['tasks-tool-forbidden'],
    switches: ['forbidden tools run anyway'],
  },
  {
    name: 'runs required tools as plain calls',
    breaks: 'tasks-tool-required',
    found: ['tasks-tool-required'],
    switches: ['required tools run anyway'],
  },
  {
    name: 'refuses plain calls of required tools with -32600',
    breaks: 'tasks-tool-required',
    found: ['tasks-tool-required'],
    answer: errorOf('tools/call', (answer, { params }) =>
      params['name'] === 'conformance_required'
        ? { ...answer, error: { code: -32600, message: 'Task augmentation required' } }
        : answer,
    ),
  },
  {
    name: 'makes a task of every call',
    breaks: 'tasks-plain-call-direct',
    found: ['tasks-plain-call-direct'],
    skips: ['tasks-result-exact/one'],
    switches: ['every call is a task'],
  },
];
