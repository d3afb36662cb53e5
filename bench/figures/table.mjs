/**
 * Holds the promised figures, each under its key: the script that measures it, what is compared (`ratio`: Duet's figure by the floor's,
 * `value`: Duet's own), the most that this may be, what it is to become, and the same of docker-agent, an agent in Go that is served over
 * MCP, as it was in a comparison of 2026-11-23. `npm run bench` prints them all, and docs/performance.md holds what was printed last.
 */
export const figures = {
  initialize: {
    name: "`duet serve`: spawn to the answer of `initialize`",
    ...{ script: "startup", compare: "ratio", unit: "ms", must: 3, aim: 2.5 },
  },
  "cold-mcp": {
    name: "cold over MCP: spawn to the first answer",
    ...{ script: "startup", compare: "ratio", unit: "ms", must: 0.85, aim: 0.55, dockerAgent: 0.51 },
  },
  "cold-mcp-cpu": {
    name: "cold over MCP: processor time",
    ...{ script: "startup", compare: "ratio", unit: "ms", must: 0.9, aim: 0.6, dockerAgent: 0.16 },
  },
  "cold-ask": {
    name: "`duet ask`: spawn to the first text of the answer",
    ...{ script: "startup", compare: "ratio", unit: "ms", must: 0.8, aim: 0.65, dockerAgent: 0.7 },
  },
  "process-1": {
    name: "in process: processor time of a question, C=1",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 1.7, aim: 1.5 },
  },
  "process-10": {
    name: "in process: the same, C=10",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 1.8, aim: 1.6 },
  },
  "process-100": {
    name: "in process: the same, C=100",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 2.3, aim: 2 },
  },
  "process-paced": {
    name: "in process: the same, paced streams, C=50",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 1.7, aim: 1.5 },
  },
  "mcp-1": {
    name: "`agent_ask` over stdio: processor time, C=1",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 2, aim: 1.6, dockerAgent: 1.9 },
  },
  "mcp-10": {
    name: "`agent_ask` over stdio: the same, C=10",
    ...{ script: "questions", compare: "ratio", unit: "ms", must: 2, aim: 1.8, dockerAgent: 2.3 },
  },
  "mcp-p50": {
    name: "`agent_ask` over stdio: p50, C=1",
    ...{ script: "questions", compare: "value", unit: "ms", must: 8, aim: 3.9, dockerAgent: 3.9 },
  },
  "mcp-p99": {
    name: "`agent_ask` over stdio: p99, C=10",
    ...{ script: "questions", compare: "value", unit: "ms", must: 60, aim: 45, dockerAgent: 51 },
  },
  "mcp-memory": {
    name: "`agent_ask` over stdio: peak memory under ten callers",
    ...{ script: "questions", compare: "value", unit: "MB", must: 160, aim: 140, dockerAgent: 100 },
  },
  "mcp-paced": {
    name: "a paced answer over MCP: beyond the model's time",
    ...{ script: "questions", compare: "value", unit: "ms", must: 6, aim: 2, dockerAgent: 0 },
  },
  "mcp-paced-cpu": {
    name: "a paced answer over MCP: processor time",
    ...{ script: "questions", compare: "value", unit: "ms", must: 28, aim: 24, dockerAgent: 19 },
  },
  "gateway-cpu": {
    name: "a call through the gateway: processor time",
    ...{ script: "gateway", compare: "value", unit: "ms", must: 0.45, aim: 0.3 },
  },
  "gateway-p50": {
    name: "a call through the gateway: added p50",
    ...{ script: "gateway", compare: "value", unit: "ms", must: 1, aim: 0.7 },
  },
  "model-api": {
    name: "`/v1`: processor time of a streamed chunk",
    ...{ script: "model-api", compare: "value", unit: "us", must: 45, aim: 30 },
  },
  "http-memory": {
    name: "over HTTP: memory after 10,000 runs",
    ...{ script: "model-api", compare: "value", unit: "MB", must: 350, aim: 300 },
  },
};
