import { PHASES, RANGES } from '@longshore/operator/words';
import { CloseButton, MultiSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { TOOLS } from '../api/queries.ts';
import type { Phase } from '../api/types.ts';
import { PHASE_LOOKS } from '../state/looks.ts';
import type { TaskSearch } from '../state/searches.ts';

const RANGE_WORDS = {
  '1h': 'hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

/** Filters of the list of tasks, all of them in the address, and each that is on in words with a button that takes it away. */
export function TaskFilters({ search }: { search: TaskSearch }) {
  const navigate = useNavigate();
  const tools = useQuery(TOOLS).data ?? [];
  const [text, setText] = useState(search.text ?? '');
  useEffect(() => setText(search.text ?? ''), [search.text]);
  const change = (part: Partial<TaskSearch>) =>
    void navigate({
      to: '/tasks',
      search: { ...search, ...part, cursor: undefined },
      state: { trail: [] },
    });
  const find = (event: FormEvent) => {
    event.preventDefault();
    change({ text: text.trim() === '' ? undefined : text.trim() });
  };
  const listOrNone = (values: string[]) => (values.length === 0 ? undefined : values);
  const narrow = {
    size: 'xs',
    comboboxProps: { width: 'max-content', position: 'bottom-start' },
  } as const;
  return (
    <>
      <search className="tools filters">
        <MultiSelect
          {...narrow}
          data-filter
          aria-label="State"
          placeholder={search.phase === undefined ? 'State' : ''}
          data={PHASES.map((phase) => ({ value: phase, label: PHASE_LOOKS[phase].word }))}
          value={[...(search.phase ?? [])]}
          onChange={(phases) => change({ phase: listOrNone(phases) as Phase[] | undefined })}
        />
        <MultiSelect
          {...narrow}
          aria-label="Tool"
          placeholder={search.tool === undefined ? 'Tool' : ''}
          searchable
          data={[...new Set([...tools.map(({ name }) => name), ...(search.tool ?? [])])]}
          value={[...(search.tool ?? [])]}
          onChange={(names) => change({ tool: listOrNone(names) })}
        />
        <MultiSelect
          {...narrow}
          aria-label="Queue"
          placeholder={search.queue === undefined ? 'Queue' : ''}
          data={[...new Set([...tools.map(({ queue }) => queue), ...(search.queue ?? [])])]}
          value={[...(search.queue ?? [])]}
          onChange={(names) => change({ queue: listOrNone(names) })}
        />
        <Select
          {...narrow}
          aria-label="Made within"
          placeholder="Any time"
          clearable
          clearButtonProps={{ 'aria-label': 'Any time' }}
          data={RANGES.map((range) => ({ value: range, label: `Last ${RANGE_WORDS[range]}` }))}
          value={search.within ?? null}
          onChange={(range) => change({ within: RANGES.find((one) => one === range) })}
        />
        <form onSubmit={find} className="search">
          <TextInput
            size="xs"
            data-search
            aria-label="Text of arguments or error"
            placeholder="Text of arguments or error, then Enter"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </form>
      </search>
      <Chips search={search} change={change} />
    </>
  );
}

function Chips({
  search,
  change,
}: {
  search: TaskSearch;
  change: (part: Partial<TaskSearch>) => void;
}) {
  const chips = [
    ...(search.phase ?? []).map((phase) => ({
      text: PHASE_LOOKS[phase].word,
      without: { phase: without(search.phase, phase) },
    })),
    ...(search.tool ?? []).map((tool) => ({
      text: `tool ${tool}`,
      without: { tool: without(search.tool, tool) },
    })),
    ...(search.queue ?? []).map((queue) => ({
      text: `queue ${queue}`,
      without: { queue: without(search.queue, queue) },
    })),
    ...(['principal', 'worker', 'parent'] as const).flatMap((name) =>
      search[name] === undefined
        ? []
        : [{ text: `${name} ${search[name].slice(-8)}`, without: { [name]: undefined } }],
    ),
    ...(search.within === undefined
      ? []
      : [{ text: `last ${RANGE_WORDS[search.within]}`, without: { within: undefined } }]),
    ...(search.text === undefined
      ? []
      : [{ text: `text “${search.text}”`, without: { text: undefined } }]),
  ];
  if (chips.length === 0) return null;
  return (
    <div className="chips">
      {chips.map((chip) => (
        <span className="chip" key={chip.text}>
          {chip.text}
          <CloseButton
            size="xs"
            aria-label={`Without ${chip.text}`}
            onClick={() => change(chip.without)}
          />
        </span>
      ))}
      <Link to="/tasks">Clear all</Link>
    </div>
  );
}

function without<Value>(values: readonly Value[] | undefined, value: Value): Value[] | undefined {
  const rest = (values ?? []).filter((one) => one !== value);
  return rest.length === 0 ? undefined : rest;
}
