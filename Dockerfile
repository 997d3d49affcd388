# One image for every process of Parley: compose.yaml starts it as API, as worker and to migrate. See docs/deployment.md.
FROM node:22-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json ./
COPY web/package.json web/

FROM base AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/bundle-programs.mjs scripts/compile.mjs scripts/nest-cli.mjs scripts/
COPY migrations migrations
COPY client client
COPY web web
COPY terminal terminal
COPY src src
RUN npm run -s build

FROM base AS dependencies
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM base
# SANDBOX=auto takes it where the container may make user namespaces, and does without where not.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
RUN install -d -o node -g node -m 700 /data /workspace /files
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    AUTH=keys \
    PORT=3000 \
    DATA_DIR=/data \
    WORKSPACE_DIR=/workspace
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY prompts prompts
USER node
VOLUME ["/data", "/workspace"]
EXPOSE 3000
STOPSIGNAL SIGTERM
# Live, not ready: who restarts what is unhealthy would end processes that wait for a database, with what they still have to save.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["dist/programs/main.js"]
