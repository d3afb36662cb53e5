import { usageDays, usageRows } from "../../operator/operator-routes.ts";
import {
  commonProblems,
  describeJson,
  describePathParameter,
  describeProblem,
  describeQueryParameter,
  describeResponse,
  pageParameters,
} from "./components.ts";

const onlyHere = describeProblem("Only the operator is served, directly on the machine of the server.");

const badQuery = describeProblem("A query parameter is not allowed.");

/** Describes what the operator of a server sees of all callers. */
export const operatorPaths = {
  "/operator/settings": {
    get: {
      operationId: "readOperatorSettings",
      summary: "Reads the configuration with the source of each value.",
      tags: ["operations"],
      responses: { 200: describeResponse("All settings.", "OperatorSettings"), ...commonProblems, 403: onlyHere },
    },
    patch: {
      operationId: "changeOperatorSettings",
      summary: "Changes the configuration file, which counts from the next start on.",
      tags: ["operations"],
      requestBody: { required: true, content: describeJson("SettingChanges") },
      responses: {
        200: describeResponse("All settings, with what the file has now.", "OperatorSettings"),
        400: describeProblem("A key cannot be changed here, or a value is not allowed; nothing was changed."),
        ...commonProblems,
        403: onlyHere,
      },
    },
  },
  "/operator/servers": {
    get: {
      operationId: "listServers",
      summary: "Lists the MCP servers in use with their states.",
      tags: ["operations"],
      responses: { 200: describeResponse("All of them.", "OperatorServers"), ...commonProblems, 403: onlyHere },
    },
  },
  "/operator/runs": {
    get: {
      operationId: "listAllRuns",
      summary: "Lists the runs of all callers, now and recent.",
      tags: ["operations"],
      parameters: pageParameters,
      responses: {
        200: describeResponse("One page of them.", "OperatorRuns"),
        400: badQuery,
        ...commonProblems,
        403: onlyHere,
      },
    },
  },
  "/operator/runs/{id}/spans": {
    get: {
      operationId: "listSpans",
      summary: "Lists when the turns and calls of a run that has ended began, and how long they took.",
      tags: ["operations"],
      parameters: [describePathParameter("id", "The run_id of a run.")],
      responses: {
        200: describeResponse("The first 500 of them, in the order in which they began.", "OperatorSpans"),
        ...commonProblems,
        403: onlyHere,
        404: describeProblem("This process knows no such run, or it has not ended."),
      },
    },
  },
  "/operator/usage": {
    get: {
      operationId: "readUsage",
      summary: "Reads what was used by day, model and caller.",
      tags: ["operations"],
      parameters: [
        {
          name: "days",
          in: "query",
          description: "How many days back, today included.",
          schema: { type: "integer", minimum: usageDays.from, maximum: usageDays.to, default: usageDays.otherwise },
        },
        {
          name: "limit",
          in: "query",
          description: "How many entries of days.",
          schema: { type: "integer", minimum: usageRows.from, maximum: usageRows.to, default: usageRows.otherwise },
        },
        describeQueryParameter("offset", "How many to skip."),
      ],
      responses: {
        200: describeResponse("Sums by day for models and callers, and one page of the days.", "OperatorUsage"),
        400: badQuery,
        ...commonProblems,
        403: onlyHere,
      },
    },
  },
  "/operator/problems": {
    get: {
      operationId: "listProblems",
      summary: "Lists runs that have failed, and the tools with the time they take.",
      tags: ["operations"],
      responses: {
        200: describeResponse("Since the process began.", "OperatorProblems"),
        ...commonProblems,
        403: onlyHere,
      },
    },
  },
};
