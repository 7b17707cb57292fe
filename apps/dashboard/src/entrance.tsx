import { useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { closeLive, openLive } from './api/live.ts';
import { ME } from './api/queries.ts';
import { Login } from './pages/login.tsx';
import { MeContext } from './parts/me.tsx';
import { Failure, Loading } from './parts/states.tsx';
import { Toasts } from './parts/toasts.tsx';
import { router } from './router.tsx';

/** The form to log in where nobody is, at whatever address: what was asked for comes behind it. */
export function Entrance() {
  const { data: me, error, refetch } = useQuery(ME);
  const isIn = me != null;
  const [wasIn, setWasIn] = useState(false);
  useEffect(() => {
    if (!isIn) return;
    setWasIn(true);
    // A tab that nobody sees asks for nothing: it reads all again when it is seen.
    const follow = (): void => (document.hidden ? closeLive() : openLive());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      closeLive();
    };
  }, [isIn]);
  if (me === undefined)
    return (
      <main className="login">
        <h1>Longshore</h1>
        {error === null ? <Loading /> : <Failure error={error} again={() => void refetch()} />}
      </main>
    );
  return (
    <>
      {me === null ? (
        <Login isOver={wasIn} />
      ) : (
        <MeContext value={me}>
          <RouterProvider router={router} />
        </MeContext>
      )}
      <Toasts />
    </>
  );
}
