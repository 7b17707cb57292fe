import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/actions.ts';
import { statsOf, TOOLS, tasksOf } from '../api/queries.ts';
import type { Stats, Tool } from '../api/types.ts';
import { DataTable } from '../parts/data-table.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { PauseButton } from '../parts/pause-button.tsx';
import { SchemaForm } from '../parts/schema-form.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { shortId, TaskTable } from '../parts/task-table.tsx';
import { TOOL_TABS } from '../state/searches.ts';
import { durationText } from '../state/time-text.ts';
import { figuresOf } from './tool-figures.ts';

export function ToolPage() {
  const { name } = useParams({ from: '/tools/$name' });
  const query = useQuery(TOOLS);
  const versions = query.data?.filter((tool) => tool.name === name) ?? [];
  const tool = versions[0];
  return (
    <Page
      title={name}
      aside={tool && <PauseButton kind="tools" what="Calls" name={name} isPaused={tool.isPaused} />}
    >
      <Shown query={query}>
        {() =>
          tool === undefined ? (
            <Empty title="No live worker offers this tool">
              <p>
                It was renamed, or its workers are gone. <Link to="/tools">To the tools</Link>
              </p>
            </Empty>
          ) : (
            <Whole tool={tool} />
          )
        }
      </Shown>
    </Page>
  );
}

function Whole({ tool }: { tool: Tool }) {
  const me = useMe();
  const { tab = 'run' } = useSearch({ from: '/tools/$name' });
  const navigate = useNavigate();
  const recent = useQuery(tasksOf({ tool: [tool.name] }));
  return (
    <>
      {tool.isPaused && <p className="banner">This tool is paused: its calls wait.</p>}
      {tool.deprecated !== null && <p className="banner calm">Deprecated: {tool.deprecated}</p>}
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxWidth: 800 }}>
        {tool.description}
      </p>
      <div className="wide-left">
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(next) =>
            void navigate({
              to: '/tools/$name',
              params: { name: tool.name },
              search: { tab: TOOL_TABS.find((one) => one === next) },
              replace: true,
            })
          }
        >
          <Tabs.List mb="sm" aria-label="Of this tool">
            <Tabs.Tab value="run">Run</Tabs.Tab>
            <Tabs.Tab value="about">Output</Tabs.Tab>
            <Tabs.Tab value="schema">Input schema</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="run">
            <Run key={tool.name} tool={tool} />
          </Tabs.Panel>
          <Tabs.Panel value="about">
            {tool.outputSchema === null ? (
              <Empty title="It does not say what its results look like" />
            ) : (
              <JsonView value={tool.outputSchema} label="Output schema" />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="schema">
            <JsonView value={tool.inputSchema} label="Input schema" />
          </Tabs.Panel>
        </Tabs>
        <Panel title="Facts">
          <Facts
            of={[
              ['Plugin', `${tool.plugin} ${tool.pluginVersion}`],
              ['Version', tool.version],
              ['Queue', tool.queue],
              ['Workers', String(tool.workers)],
              [
                'As a task',
                { forbidden: 'never', optional: 'if the client wants', required: 'always' }[
                  tool.taskSupport
                ],
              ],
              ['Time-out', durationText(tool.timeoutMs)],
              ['Attempts', String(tool.maxAttempts)],
              ['At once', tool.concurrency === null ? null : String(tool.concurrency)],
              ['Rate', tool.rate && `${tool.rate.starts} in ${durationText(tool.rate.perMs)}`],
            ]}
          />
        </Panel>
      </div>
      {me.seesAll && <Versions tool={tool} />}
      <Panel
        title="Latest tasks"
        aside={
          <Link to="/tasks" search={{ tool: [tool.name] }}>
            All of them
          </Link>
        }
      >
        <Shown query={recent}>
          {({ tasks }) =>
            tasks.length === 0 ? (
              <Empty title="It was not called yet" />
            ) : (
              <TaskTable
                caption={`Latest tasks of ${tool.name}`}
                tasks={tasks.slice(0, 10)}
                isOfAll={me.seesAll}
              />
            )
          }
        </Shown>
      </Panel>
    </>
  );
}

/** A release that fails more, or runs longer, beside the one before. */
function Versions({ tool }: { tool: Tool }) {
  const query = useQuery(statsOf({ range: '24h', tool: tool.name }));
  return (
    <Panel title="By version">
      <Shown query={query}>
        {({ versions }) =>
          versions.length === 0 ? (
            <Empty title="No call of the last 24 hours has ended" />
          ) : (
            <DataTable
              caption={`Calls of ${tool.name} by version`}
              rows={versions}
              idOf={({ version }) => version}
              columns={[
                {
                  header: 'Version',
                  look: 'grow',
                  cell: ({ version }) =>
                    version === '' ? <span className="soft">ended in none</span> : version,
                },
                ...figuresOf<Stats['versions'][number]>((figures) => figures),
              ]}
            />
          )
        }
      </Shown>
    </Panel>
  );
}

function Run({ tool }: { tool: Tool }) {
  const me = useMe();
  const navigate = useNavigate();
  const run = useAction('POST /tools/{name}/run', {
    done: (answer) => `Started as ${shortId(answer.task.id)}.`,
    after: (answer) => navigate({ to: '/tasks/$id', params: { id: answer.task.id } }),
  });
  return (
    <SchemaForm
      schema={tool.inputSchema}
      label="Arguments"
      submit="Run"
      not={noWriter(me)}
      isBusy={run.isPending}
      send={(value) => run.mutate({ params: { name: tool.name }, body: { arguments: value } })}
    />
  );
}
