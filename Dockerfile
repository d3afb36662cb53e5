# Duet over HTTP, as a user without rights on a file system that may be read-only: docs/install/container.md.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# Scripts of packages fetch other versions of Node and test tools, which the build does not need.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs && node scripts/package.mjs /packed
RUN npm install --global --prefix /opt/duet --omit=dev --no-audit --no-fund /packed/duet-mcp-*.tgz

FROM node:24-bookworm-slim
LABEL io.modelcontextprotocol.server.name="io.github.duet-mcp/duet" \
      org.opencontainers.image.source="https://github.com/duet-mcp/duet" \
      org.opencontainers.image.licenses="MIT"
# As process 1 it takes in the processes that servers have left behind.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/duet /opt/duet
# Everything that is written lies in /data: conversations, the configuration in .config/duet, the cache of npx.
RUN install -d -o node -g node /data
ENV PATH=/opt/duet/bin:$PATH HOME=/data NODE_ENV=production
# The user `node`, by its number, so that Kubernetes can tell that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "duet"]
CMD ["serve", "--http", "0.0.0.0:3000"]
