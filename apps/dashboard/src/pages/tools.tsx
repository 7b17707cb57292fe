import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { statsOf, TOOLS } from '../api/queries.ts';
import type { Tool } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { figuresOf } from './tool-figures.ts';

export function ToolsPage() {
  const me = useMe();
  const query = useQuery(TOOLS);
  const stats = useQuery({ ...statsOf({ range: '24h' }), enabled: me.seesAll });
  const { text = '' } = useSearch({ from: '/tools' });
  const navigate = useNavigate();
  const byTool = new Map(stats.data?.tools.map((figures) => [figures.tool, figures]));
  return (
    <Page
      title="Tools"
      aside={
        <TextInput
          size="xs"
          data-search
          aria-label="Find a tool"
          placeholder="Find a tool"
          defaultValue={text}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              to: '/tools',
              search: { text: value === '' ? undefined : value },
              replace: true,
            })
          }
        />
      }
    >
      <Shown query={query}>
        {(tools) => {
          const found = tools.filter(({ name, title, description }) =>
            `${name} ${title} ${description}`.toLowerCase().includes(text.toLowerCase()),
          );
          if (tools.length === 0)
            return (
              <Empty title="No live worker offers a tool">
                <p>
                  Start a worker, or look at its log: a plugin that does not load says why there.
                </p>
              </Empty>
            );
          if (found.length === 0)
            return <Empty title="No tool has this in its name or description" />;
          return (
            <DataTable
              caption="Tools"
              rows={found}
              idOf={({ name, version }) => `${name} ${version}`}
              columns={[
                ...ABOUT,
                ...(me.seesAll ? figuresOf<Tool>(({ name }) => byTool.get(name)) : []),
              ]}
            />
          );
        }}
      </Shown>
    </Page>
  );
}

const ABOUT: readonly Column<Tool>[] = [
  {
    header: 'Tool',
    cell: ({ name, isPaused, deprecated }) => (
      <>
        <Link to="/tools/$name" params={{ name }}>
          {name}
        </Link>
        {isPaused && <span className="bad"> paused</span>}
        {deprecated !== null && <span className="soft"> deprecated</span>}
      </>
    ),
  },
  {
    header: 'What it does',
    look: 'grow wide',
    cell: ({ title, description }) => title ?? description,
  },
  {
    header: 'Plugin',
    look: 'wide',
    cell: ({ plugin, pluginVersion }) => (
      <span title={plugin} style={{ whiteSpace: 'nowrap' }}>
        {/^[./]/.test(plugin) ? plugin.slice(plugin.lastIndexOf('/') + 1) : plugin}{' '}
        <span className="soft">{pluginVersion}</span>
      </span>
    ),
  },
  { header: 'Queue', look: 'wide', cell: ({ queue }) => queue },
  { header: 'Workers', look: 'right wide', cell: ({ workers }) => workers },
];
