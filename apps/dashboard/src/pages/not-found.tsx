import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no page at this address">
        <Link to="/">To the overview</Link>
      </Empty>
    </Page>
  );
}
