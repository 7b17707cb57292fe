import '@mantine/core/styles.css';
import './tokens.css';
import './theme.css';
import './layout.css';
import './parts/table.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { Entrance } from './entrance.tsx';

const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  colors: {
    accent: [
      '#eff4ff',
      '#dbe6fe',
      '#bfd3fe',
      '#93b4fd',
      '#6090fa',
      '#3b6cf6',
      '#2554eb',
      '#1d4ed8',
      '#1e40af',
      '#1e3a8a',
    ],
    dark: [
      '#e6eaf0',
      '#a9b3bf',
      '#8b949e',
      '#6b7480',
      '#3d4753',
      '#323b47',
      '#1b2129',
      '#161b22',
      '#12161c',
      '#0d1117',
    ],
  },
  primaryColor: 'accent',
  // Dark enough for white words on it.
  primaryShade: 7,
  defaultRadius: 'sm',
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// Where a library of Mantine, which locks the scrolling behind dialogs, looks for the nonce of its style element.
Object.assign(globalThis, { __webpack_nonce__: nonce });

createRoot(document.getElementById('page') ?? document.body).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <Entrance />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
