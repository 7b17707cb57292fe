import { Button, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { API, client, isProblem, messageOf } from '../api/client.ts';
import { ME, queryClient } from '../api/queries.ts';

/**
 * Stands at the address that was asked for, which is shown once one is in.
 *
 * @param props.isOver one was in, in this tab
 */
export function Login({ isOver }: { isOver: boolean }) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data: ways } = useQuery({
    queryKey: ['session'],
    queryFn: () => client('GET /session'),
  });
  useEffect(() => {
    document.title = 'Log in · Longshore';
  }, []);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const me = await client('POST /session', { body: { key: key.trim() } });
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
      queryClient.setQueryData(ME.queryKey, me);
    } catch (error) {
      setProblem(
        isProblem(error, 401)
          ? 'This key is not known, was revoked, or has expired.'
          : messageOf(error),
      );
      setBusy(false);
    }
  };
  const back = `${location.pathname}${location.search}`;
  return (
    <main className="login">
      <h1>Longshore</h1>
      {isOver ? (
        <p className="banner" role="alert">
          Your login is over: it expired, or its key was revoked. Log in, and you are where you
          were.
        </p>
      ) : (
        <p className="soft">Log in to see your tasks; with the scope ops:read, those of all.</p>
      )}
      <form onSubmit={(event) => void enter(event)}>
        <PasswordInput
          label="API key"
          description="Of the command: longshore keys create"
          autoComplete="off"
          required
          mb="sm"
          value={key}
          error={problem}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <Button type="submit" fullWidth loading={isBusy} disabled={key.trim() === ''}>
          Log in
        </Button>
      </form>
      {ways?.hasOAuthLogin === true && (
        <p style={{ marginTop: 16 }}>
          <a href={`${API}/session/oauth?return=${encodeURIComponent(back)}`}>
            Log in with the identity provider
          </a>
        </p>
      )}
    </main>
  );
}
