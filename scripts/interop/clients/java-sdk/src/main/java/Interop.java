import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Plays a scenario with the code of the page (Duet.java); progress and dialogs with a client that also handles these. */
public class Interop {
  private static final AtomicInteger progress = new AtomicInteger();
  private static final Pattern CONFIRMATION = Pattern.compile("\"confirmation\":\"([^\"]+)\"");

  public static void main(String[] args) throws Exception {
    var scenario = args[args.length - 1];
    var line = new LinkedHashMap<String, Object>();
    line.put("scenario", scenario);
    var handlesMore = scenario.equals("progress") || scenario.equals("confirmation");
    try (var client = handlesMore ? openWithHandlers(line) : Duet.open()) {
      play(client, scenario, line);
    } catch (Exception error) {
      line.put("error", error.toString());
    }
    System.out.println(McpJsonDefaults.getMapper().writeValueAsString(line));
  }

  private static McpSyncClient openWithHandlers(Map<String, Object> line) {
    var transport =
        new StdioClientTransport(ServerParameters.builder("duet").args("serve").build(), McpJsonDefaults.getMapper());
    var client =
        McpClient.sync(transport)
            .requestTimeout(Duration.ofSeconds(60))
            .capabilities(McpSchema.ClientCapabilities.builder().elicitation().build())
            .elicitation(
                request -> {
                  line.put("elicited", true);
                  return new McpSchema.ElicitResult(
                      McpSchema.ElicitResult.Action.ACCEPT, Map.of("scope", "once"));
                })
            .progressConsumer(notification -> progress.incrementAndGet())
            .build();
    client.initialize();
    return client;
  }

  private static void play(McpSyncClient client, String scenario, Map<String, Object> line) {
    var question = System.getenv("DUET_QUESTION");
    if (scenario.equals("lists")) {
      line.put("tools", client.listTools().tools().stream().map(McpSchema.Tool::name).toList());
      client.listResources();
      client.listPrompts();
      return;
    }
    if (scenario.equals("limit")) {
      recordResult(callAgent(client, Map.of("question", question)), line);
      return;
    }
    if (scenario.equals("progress")) {
      var call =
          new McpSchema.CallToolRequest("agent_ask", Map.of("question", question), Map.of("progressToken", "progress"));
      recordResult(client.callTool(call), line);
      line.put("progress", progress.get());
      return;
    }
    var result = Duet.ask(client, question);
    var token = CONFIRMATION.matcher(readText(result));
    if (token.find()) result = callAgent(client, Map.of("question", "yes", "confirmation", token.group(1)));
    recordResult(result, line);
  }

  private static McpSchema.CallToolResult callAgent(McpSyncClient client, Map<String, Object> arguments) {
    return client.callTool(new McpSchema.CallToolRequest("agent_ask", arguments, Map.of()));
  }

  private static void recordResult(McpSchema.CallToolResult result, Map<String, Object> line) {
    line.put("text", readText(result));
    line.put("structured", result.structuredContent());
  }

  private static String readText(McpSchema.CallToolResult result) {
    return result.content().stream()
        .filter(McpSchema.TextContent.class::isInstance)
        .map(block -> ((McpSchema.TextContent) block).text())
        .collect(Collectors.joining("\n"));
  }
}
