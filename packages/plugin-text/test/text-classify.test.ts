import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import {
  type RecordedQuestion,
  type RunOptions,
  runTool,
  type ScriptedAnswer,
  startTool,
  ToolSchemaError,
} from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-text';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

interface Classified {
  readonly rows: number;
  readonly classified: number;
  readonly failed: number;
  readonly truncated: boolean;
  readonly stopped: string | null;
  readonly labels: readonly { readonly name: string; readonly rows: number }[];
  readonly items: readonly {
    readonly row: number;
    readonly label: string;
    readonly text: string;
  }[];
  readonly failures: readonly { readonly row: number; readonly code: string }[];
  readonly path: string | null;
}

const LABELS = [{ name: 'Complaint', description: 'Something went wrong.' }, { name: 'Praise' }];

let workspace: PluginWorkspace;

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  const rows = Array.from({ length: 50 }, (_, index) =>
    index % 2 === 0
      ? `${index},"The crate, number ${index}, was broken",x`
      : `${index},Well done ${index},y`,
  );
  await workspace.write('reviews.csv', `id,text,kind\n${rows.join('\n')}\n`);
  await workspace.write('quoted.csv', 'id,text\n1,"never closed\n2,b\n');
  await workspace.write('uneven.csv', 'id,text\n1,a,b\n');
  await workspace.write('semicolon.csv', 'id;text\n1;was broken\n');
  await workspace.write('head.csv', 'id,text\n');
  await workspace.write(
    'tickets.jsonl',
    '{"title":"Crane broken","n":1}\n\n{"title":"","n":null}\n"broken, too"\n',
  );
  await workspace.write('bad.jsonl', '{"title":"a"}\n{"title":\n');
  await workspace.write('lines.txt', 'was broken\nthank you\n');
  await workspace.write('binary.csv', Buffer.from('id,text\n1,\0\n'));
  await workspace.write('image.png', Buffer.from([1, 0, 2]));
});

afterAll(() => workspace.remove());

const textIn = ({ params }: RecordedQuestion): string => {
  const { messages } = params as { messages: { content: { text: string } }[] };
  return messages[0]?.content.text ?? '';
};

/** The texts a question asks about, as a model would read them. */
const textsIn = (question: RecordedQuestion): { number: number; text: string }[] =>
  textIn(question)
    .split('\n')
    .filter((line) => line.startsWith('{"number"'))
    .map((line) => JSON.parse(line));

const said = (text: string): ScriptedAnswer => ({
  role: 'assistant',
  model: 'mock-1',
  content: { type: 'text', text },
});

const judge = (text: string): string => (/broken/i.test(text) ? 'complaint' : ' Praise ');

/** A model that knows the answers, and wraps them as models do. */
const model = (question: RecordedQuestion): ScriptedAnswer => {
  const labels = textsIn(question).map(({ number, text }) => [String(number), judge(text)]);
  return said(
    `Sure! Here you are:\n\`\`\`json\n${JSON.stringify(Object.fromEntries(labels))}\n\`\`\``,
  );
};

const run = async (input: object, options: RunOptions = {}) => {
  const finished = await runTool(
    workspace.tool('text_classify'),
    { labels: LABELS, ...input },
    { answers: model, ...options },
  );
  return { ...finished, output: finished.output as Classified };
};

describe('text_classify', () => {
  it('gives each row a label, in batches, and counts them', async () => {
    const { output, questions, progress } = await run({
      path: 'reviews.csv',
      columns: ['text'],
      instructions: 'A broken crate is a complaint.',
    });
    expect(output).toMatchObject({
      rows: 50,
      classified: 50,
      failed: 0,
      truncated: false,
      stopped: null,
      labels: [
        { name: 'Complaint', rows: 25 },
        { name: 'Praise', rows: 25 },
      ],
      path: null,
    });
    expect(output.items.slice(0, 2)).toEqual([
      { row: 1, label: 'Complaint', text: 'The crate, number 0, was broken' },
      { row: 2, label: 'Praise', text: 'Well done 1' },
    ]);
    expect(questions.map(({ key }) => key)).toEqual(['rows-1', 'rows-21', 'rows-41']);
    expect(questions.map((question) => textsIn(question).length)).toEqual([20, 20, 10]);
    const asked = textIn(questions[0] as RecordedQuestion);
    expect(asked).toContain('- "Complaint": Something went wrong.');
    expect(asked).toContain('A broken crate is a complaint.');
    expect(progress.at(-1)).toEqual({ done: 50, total: 50, message: '50 of 50 rows' });
  });

  it('writes a line for each row', async () => {
    const { output } = await run({
      path: 'reviews.csv',
      columns: ['text'],
      save_as: 'labels.jsonl',
    });
    const lines = (await readFile(output.path ?? '', 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(50);
    expect(JSON.parse(lines[3] ?? '')).toEqual({
      row: 4,
      label: 'Praise',
      code: null,
      text: 'Well done 3',
    });
  });

  it('asks once more for the rows that were answered amiss, and those alone', async () => {
    const answers = (question: RecordedQuestion): ScriptedAnswer => {
      const isAgain = question.key.endsWith('-again');
      if (!isAgain) return said('{"1":"Complaint","2":"Fury","3":7,"5":"praise"}');
      return said(JSON.stringify({ 1: 'Praise', 2: 'no idea' }));
    };
    const { output, questions } = await run(
      { path: 'reviews.csv', columns: ['text'], max_rows: 5 },
      { answers },
    );
    expect(questions.map(({ key }) => key)).toEqual(['rows-1', 'rows-1-again']);
    expect(textsIn(questions[1] as RecordedQuestion).map(({ text }) => text)).toEqual([
      'Well done 1',
      'The crate, number 2, was broken',
      'Well done 3',
    ]);
    expect(output.items.map(({ row, label }) => [row, label])).toEqual([
      [1, 'Complaint'],
      [2, 'Praise'],
      [5, 'Praise'],
    ]);
    expect(output.failures).toEqual([
      { row: 3, code: 'NO_LABEL' },
      { row: 4, code: 'NO_LABEL' },
    ]);
    expect(output).toMatchObject({ classified: 3, failed: 2, truncated: true });
  });

  it.each(['no JSON at all', '{"1": "Complaint"', '[1,2]', 'null', '{}', ''])(
    'makes nothing of the answer %j',
    async (text) => {
      const { output, questions } = await run(
        { path: 'reviews.csv', max_rows: 2 },
        { answers: () => said(text) },
      );
      expect(output).toMatchObject({ classified: 0, failed: 2, stopped: null });
      expect(questions).toHaveLength(2);
    },
  );

  it('stops asking when the client refuses, and keeps what it has', async () => {
    const answers = (question: RecordedQuestion): ScriptedAnswer =>
      question.key === 'rows-1' || question.key === 'rows-11'
        ? model(question)
        : new Error('enough of this');
    const { output } = await run(
      { path: 'reviews.csv', columns: ['text'], batch_size: 10 },
      { answers },
    );
    expect(output).toMatchObject({
      classified: 20,
      failed: 30,
      stopped: expect.stringContaining('enough of this'),
    });
    expect(new Set(output.failures.map(({ code }) => code))).toEqual(new Set(['NOT_ASKED']));
  });

  it.each([
    [new Error('no'), 'refused'],
    ['timeout' as const, 'Nobody answered'],
  ])('fails when nothing was answered at all', async (answer, message) => {
    const failed = run({ path: 'reviews.csv' }, { answers: () => answer });
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(ToolError);
  });

  it('asks nothing again after a crash', async () => {
    const input = { path: 'reviews.csv', columns: ['text'], batch_size: 10, labels: LABELS };
    const first = startTool(workspace.tool('text_classify'), input, {
      answers: model,
      onProgress: ({ done }) => {
        if (done === 30) first.abort(new Error('killed'));
      },
    });
    await expect(first.output).rejects.toThrow('killed');
    const saved = [...first.checkpoints.values()].flat() as { first: number }[];
    // One more may have been on its way.
    expect([3, 4]).toContain(saved.length);
    const again = await run(input, { attempt: 2, checkpoints: first.checkpoints });
    expect(again.output).toMatchObject({ rows: 50, classified: 50 });
    expect(again.questions.map(({ key }) => key).sort()).toEqual(
      [1, 11, 21, 31, 41]
        .filter((row) => !saved.some((entry) => entry.first === row))
        .map((row) => `rows-${row}`)
        .sort(),
    );
  });

  it('reads JSON lines, texts and other delimiters, and leaves empty rows out', async () => {
    const tickets = await run({ path: 'tickets.jsonl', columns: ['title'] });
    expect(tickets.output.items).toEqual([
      { row: 1, label: 'Complaint', text: 'Crane broken' },
      { row: 3, label: 'Complaint', text: 'broken, too' },
    ]);
    expect(tickets.output.failures).toEqual([{ row: 2, code: 'EMPTY' }]);
    const all = await run({ path: 'tickets.jsonl', max_rows: 1 });
    expect(all.output.items[0]?.text).toBe('title: Crane broken\nn: 1');
    const lines = await run({ path: 'lines.txt' });
    expect(lines.output.items.map(({ label }) => label)).toEqual(['Complaint', 'Praise']);
    const other = await run({ path: 'semicolon.csv', delimiter: ';', columns: ['text'] });
    expect(other.output.items).toMatchObject([{ text: 'was broken' }]);
  });

  it('keeps a question short, whatever the rows are', async () => {
    await workspace.write('long.txt', `${'x'.repeat(9_000)}\n`.repeat(20));
    const { questions } = await run({ path: 'long.txt', batch_size: 50 });
    expect(questions.map((question) => textsIn(question).length)).toEqual([8, 8, 4]);
    expect(textsIn(questions[0] as RecordedQuestion)[0]?.text).toHaveLength(2_000);
  });

  it('needs a client that can be asked', async () => {
    expect(workspace.tool('text_classify').requires).toEqual(['sampling']);
    const client = {
      elicitation: { form: false, url: false },
      sampling: false,
      samplingTools: false,
      roots: false,
    };
    await expect(run({ path: 'reviews.csv' }, { client })).rejects.toThrow(ToolError);
  });

  it.each([
    [{ path: 'quoted.csv' }, 'quoted.csv is no proper CSV'],
    [{ path: 'uneven.csv' }, 'uneven.csv is no proper CSV'],
    [{ path: 'head.csv' }, 'head.csv has no rows'],
    [{ path: 'binary.csv' }, 'binary.csv is a binary file'],
    [{ path: 'reviews.csv', columns: ['body'] }, 'has no column "body"; it has id, text, kind'],
    [{ path: 'bad.jsonl' }, 'line 2 of bad.jsonl is no JSON'],
    [{ path: 'image.png' }, 'is no .csv'],
    [{ path: '../reviews.csv' }, 'is outside'],
    [{ path: 'reviews.csv', labels: [{ name: 'a' }, { name: 'A' }] }, 'is there twice'],
  ])('refuses %j', async (input, message) => {
    const failed = run(input);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(ToolError);
  });

  it.each([
    { path: 'a.csv', labels: [{ name: 'a' }] },
    { path: 'a.csv', batch_size: 0 },
    { path: 'a.csv', max_rows: 100_000 },
    { path: 'a.csv', labels: ['a', 'b'] },
  ])('refuses the arguments %j', async (input) => {
    await expect(run(input)).rejects.toBeInstanceOf(ToolSchemaError);
  });
});
