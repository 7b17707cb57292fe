import { type ReactNode, useEffect } from 'react';

/** A page: its name is the title of the tab and its first heading. */
export function Page(props: { title: string; aside?: ReactNode; children: ReactNode }) {
  const { title, aside, children } = props;
  useEffect(() => {
    document.title = `${title} · Longshore`;
  }, [title]);
  return (
    <>
      <header className="head">
        <h1>{title}</h1>
        <span className="spread" />
        {aside}
      </header>
      {children}
    </>
  );
}

export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="panel">
      <div className="head">
        <h2 style={{ margin: 0 }}>{title}</h2>
        <span className="spread" />
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Pairs of a name and what it is; those without anything are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
