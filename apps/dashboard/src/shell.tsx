import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client, messageOf } from './api/client.ts';
import { connection } from './api/connection.ts';
import { toggleLive } from './api/live.ts';
import { queryClient } from './api/queries.ts';
import icon from './icon.svg';
import { Icon } from './parts/icons.tsx';
import { useMe } from './parts/me.tsx';
import { Shortcuts } from './parts/shortcuts.tsx';
import { Age } from './parts/times.tsx';
import { density, singleKeys, zone } from './state/preferences.ts';
import { useStore } from './state/store.ts';
import { say } from './state/toasts.ts';

const PAGES = [
  ['/', 'Overview', 'o', false],
  ['/tasks', 'Tasks', 't', false],
  ['/tools', 'Tools', 'l', false],
  ['/workers', 'Workers', 'w', true],
  ['/queues', 'Queues', 'q', true],
  ['/schedules', 'Schedules', 's', false],
  ['/access', 'Keys', 'p', true],
  ['/webhooks', 'Webhooks', 'k', false],
  ['/audit', 'Audit', 'h', true],
  ['/api', 'API', 'a', false],
] as const;

export function Shell() {
  const me = useMe();
  const [isOpen, open] = useState(false);
  const [isHelpOpen, openHelp] = useState(false);
  const dense = useStore(density);
  useEffect(() => {
    document.documentElement.dataset['density'] = dense;
  }, [dense]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="bar">
        <ActionIcon
          className="burger"
          variant="default"
          aria-label="Pages"
          aria-expanded={isOpen}
          onClick={() => open(!isOpen)}
        >
          <Icon name="menu" size={16} />
        </ActionIcon>
        <Link to="/" className="brand">
          <img src={icon} alt="" />
          Longshore
        </Link>
        <span className="spread" />
        <LiveSwitch />
        <Settings openHelp={() => openHelp(true)} />
      </header>
      <nav className={isOpen ? 'side open' : 'side'} aria-label="Pages">
        <ul>
          {PAGES.filter(([, , , isForOperators]) => me.seesAll || !isForOperators).map(
            ([to, name, key]) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  onClick={() => open(false)}
                >
                  {name}
                  <kbd>g {key}</kbd>
                </Link>
              </li>
            ),
          )}
        </ul>
      </nav>
      <main className="main" id="main" tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </main>
      <Shortcuts isHelpOpen={isHelpOpen} openHelp={openHelp} />
    </div>
  );
}

const LIVE_WORDS = { opening: 'Connecting', live: 'Live', paused: 'Paused', lost: 'Not connected' };

function LiveSwitch() {
  const { state } = useStore(connection);
  return (
    <button
      type="button"
      className="live"
      data-state={state}
      aria-pressed={state !== 'paused'}
      aria-label={`${LIVE_WORDS[state]}: ${state === 'paused' ? 'follow what happens' : 'stop following what happens'}`}
      title="l"
      onClick={toggleLive}
    >
      <span className="dot" />
      {LIVE_WORDS[state]}
    </button>
  );
}

/** Says that what is shown may be old, as long as it may be. */
function ConnectionBanner() {
  const { state, since } = useStore(connection);
  return (
    <div role="status">
      {state === 'lost' && (
        <div className="banner">
          <strong>The server does not answer.</strong>
          <span>
            What you see is as old as that (<Age at={new Date(since).toISOString()} />
            ). It is tried again every two seconds, and all is read anew then.
          </span>
        </div>
      )}
    </div>
  );
}

function Settings({ openHelp }: { openHelp: () => void }) {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [zoneName, keys, dense] = [useStore(zone), useStore(singleKeys), useStore(density)];
  const tick = (isOn: boolean) => ({
    leftSection: isOn ? <Icon name="check" /> : <span style={{ width: 14 }} />,
  });
  const logOut = () => {
    client('DELETE /session').then(
      () => {
        queryClient.clear();
        void queryClient.invalidateQueries({ queryKey: ['me'] });
        location.reload();
      },
      (error: unknown) => say('failed', messageOf(error)),
    );
  };
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <button type="button" className="live">
          <span className="who">{me.auth === 'none' ? 'Settings' : me.principal.subject}</span>
          {me.auth !== 'none' && <span className="unseen">, settings</span>}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Times in</Menu.Label>
        <Menu.Item {...tick(zoneName === 'local')} onClick={() => zone.set('local')}>
          {Intl.DateTimeFormat().resolvedOptions().timeZone}
        </Menu.Item>
        <Menu.Item {...tick(zoneName === 'utc')} onClick={() => zone.set('utc')}>
          UTC
        </Menu.Item>
        <Menu.Label>Colours</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            {...tick(colorScheme === scheme)}
            onClick={() => setColorScheme(scheme)}
          >
            {{ auto: 'As the system', light: 'Light', dark: 'Dark' }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Label>Page</Menu.Label>
        <Menu.Item
          {...tick(dense === 'compact')}
          onClick={() => density.set(dense === 'compact' ? 'normal' : 'compact')}
        >
          Compact rows
        </Menu.Item>
        <Menu.Item
          {...tick(keys === 'on')}
          onClick={() => singleKeys.set(keys === 'on' ? 'off' : 'on')}
        >
          Single-key shortcuts
        </Menu.Item>
        <Menu.Item {...tick(false)} onClick={openHelp}>
          Keyboard…
        </Menu.Item>
        <Menu.Divider />
        {me.auth !== 'none' && (
          <Menu.Item {...tick(false)} onClick={logOut}>
            Log out
          </Menu.Item>
        )}
        <Menu.Label>Longshore {me.version}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
