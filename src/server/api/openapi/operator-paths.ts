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

const serverName = describePathParameter("name", "The name of a server in the configuration.");

const ofServer = { 403: onlyHere, 404: describeProblem("There is no such server.") };

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
  "/operator/tools": {
    get: {
      operationId: "listOperatorTools",
      summary: "Lists all tools with what the rules decide about each.",
      tags: ["operations"],
      responses: { 200: describeResponse("All of them.", "OperatorTools"), ...commonProblems, 403: onlyHere },
    },
    patch: {
      operationId: "changeToolPermission",
      summary: "Sets a tool to allow, ask or deny in the configuration file, which counts from the next start on.",
      tags: ["operations"],
      requestBody: { required: true, content: describeJson("ToolChange") },
      responses: {
        200: describeResponse("All tools, with what the file says now.", "OperatorTools"),
        400: describeProblem("A rule for more than this tool decides otherwise; nothing was changed."),
        ...commonProblems,
        403: onlyHere,
        404: describeProblem("There is no such tool."),
      },
    },
  },
  "/operator/approvals": {
    get: {
      operationId: "listApprovals",
      summary: "Lists tools that wait for approval, with what has changed.",
      tags: ["operations"],
      responses: {
        200: describeResponse("All of them.", "OperatorApprovals"),
        ...commonProblems,
        403: onlyHere,
        409: describeProblem("Servers are still starting."),
      },
    },
    post: {
      operationId: "approveTools",
      summary: "Approves tools as they were shown.",
      tags: ["operations"],
      requestBody: { required: true, content: describeJson("ToolApprovals") },
      responses: {
        200: describeResponse("What still waits.", "OperatorApprovals"),
        400: describeProblem("A field is not allowed."),
        ...commonProblems,
        403: onlyHere,
        409: describeProblem("One has changed since it was shown; nothing was approved."),
      },
    },
  },
  "/operator/prompts": {
    get: {
      operationId: "listPrompts",
      summary: "Lists the prompts with their texts.",
      tags: ["operations"],
      responses: {
        200: describeResponse("All of them.", "OperatorPrompts"),
        400: describeProblem("A file of the folder of prompts is not usable."),
        ...commonProblems,
        403: onlyHere,
      },
    },
    patch: {
      operationId: "changePrompt",
      summary: "Writes a prompt of your own into the folder of prompts, or removes it; counts from the next start on.",
      tags: ["operations"],
      requestBody: { required: true, content: describeJson("PromptChange") },
      responses: {
        200: describeResponse("All prompts.", "OperatorPrompts"),
        400: describeProblem("The text is not usable as this prompt; nothing was changed."),
        ...commonProblems,
        403: onlyHere,
      },
    },
  },
  "/operator/agents": {
    get: {
      operationId: "listAgents",
      summary: "Lists the configured agents, and programs known by name.",
      tags: ["operations"],
      responses: { 200: describeResponse("All of them.", "OperatorAgents"), ...commonProblems, 403: onlyHere },
    },
  },
  "/operator/servers/{name}/log": {
    get: {
      operationId: "readServerLog",
      summary: "Reads the last lines that a server has said.",
      tags: ["operations"],
      parameters: [serverName],
      responses: { 200: describeResponse("The end of it.", "OperatorLog"), ...commonProblems, ...ofServer },
    },
  },
  "/operator/servers/{name}/restart": {
    post: {
      operationId: "restartServer",
      summary: "Connects to a server anew.",
      tags: ["operations"],
      parameters: [serverName],
      responses: { 200: describeResponse("All servers.", "OperatorServers"), ...commonProblems, ...ofServer },
    },
  },
  "/operator/servers/{name}/sign-in": {
    post: {
      operationId: "beginServerSignIn",
      summary: "Begins to sign in to a server, or takes the address at which the browser stopped.",
      tags: ["operations"],
      parameters: [serverName],
      requestBody: { required: true, content: describeJson("SignInRequest") },
      responses: {
        200: describeResponse("All servers; `sign_in.address` is where the person goes.", "OperatorServers"),
        400: describeProblem("A field is not allowed."),
        ...commonProblems,
        ...ofServer,
        409: describeProblem("No sign-in waits for an address."),
      },
    },
    delete: {
      operationId: "forgetServerSignIn",
      summary: "Deletes the sign-in to a server.",
      tags: ["operations"],
      parameters: [serverName],
      responses: {
        200: describeResponse("All servers.", "OperatorServers"),
        400: describeProblem("There is no such server."),
        ...commonProblems,
        ...ofServer,
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
