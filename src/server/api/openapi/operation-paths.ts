import { describeProblem } from "./parts.ts";

const failed = { default: describeProblem("Why it is not served.") };

/** No sign-in is needed. */
const open = { security: [] };

const state = { "application/json": { schema: { type: "object", properties: { status: { type: "string" } } } } };

/** What an operator's programs ask. */
export const operationPaths = {
  "/healthz": {
    get: {
      operationId: "checkHealth",
      summary: "Whether the process answers.",
      tags: ["operations"],
      ...open,
      responses: { 200: { description: "It does.", content: state } },
    },
  },
  "/readyz": {
    get: {
      operationId: "checkReadiness",
      summary: "Whether a question could be served now.",
      tags: ["operations"],
      ...open,
      responses: {
        200: { description: "It could.", content: state },
        503: { description: "Not now.", content: state },
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "readMetrics",
      summary: "Figures for Prometheus.",
      tags: ["operations"],
      responses: {
        200: { description: "All figures.", content: { "text/plain": { schema: { type: "string" } } } },
        ...failed,
      },
    },
  },
  "/openapi.json": {
    get: {
      operationId: "readDescription",
      summary: "This document.",
      tags: ["operations"],
      responses: {
        200: { description: "OpenAPI 3.1.", content: { "application/json": { schema: { type: "object" } } } },
        ...failed,
      },
    },
  },
};
