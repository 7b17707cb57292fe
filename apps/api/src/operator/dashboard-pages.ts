import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type Response, Router } from 'express';
import type { HostGuard } from '../edge/host-guard.ts';

/** What is in the page for its nonce. */
const NONCE = '__CSP_NONCE__';
/** Files of a build have a hash of their content in their names. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * The dashboard's files. Every other address below it is the page itself, which knows its views. No script or style but its own
 * runs in it, no request leaves for another host, and no page frames it.
 *
 * @param directory what `npm run build` has made of apps/dashboard
 */
export function dashboardPages(guard: HostGuard, directory: string): Router {
  const router = Router();
  let page: string | null = null;
  router.use((request, response, next) => {
    if (guard.admits(request, response)) next();
  });
  router.use(
    '/assets',
    express.static(path.join(directory, 'assets'), {
      index: false,
      redirect: false,
      setHeaders: (response) => {
        response.setHeader('Cache-Control', FOREVER);
        response.setHeader('X-Content-Type-Options', 'nosniff');
      },
    }),
    (_request, response) => {
      response.status(404).end();
    },
  );
  router.get(/.*/, (request, response) => {
    if (request.originalUrl === request.baseUrl) {
      response.redirect(`${request.baseUrl}/`);
      return;
    }
    page ??= readFileSync(path.join(directory, 'index.html'), 'utf8');
    const nonce = randomBytes(16).toString('base64');
    protect(response, nonce);
    response.type('html').send(page.replaceAll(NONCE, nonce));
  });
  return router;
}

function protect(response: Response, nonce: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  response.setHeader('Content-Security-Policy', policy.join('; '));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
