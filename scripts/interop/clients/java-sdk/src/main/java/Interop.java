import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Plays a scenario with the code of the page (Duet.java). */
public class Interop {
  private static final Pattern CONFIRMATION = Pattern.compile("\"confirmation\":\"([^\"]+)\"");

  public static void main(String[] args) throws Exception {
    var scenario = args[args.length - 1];
    var line = new LinkedHashMap<String, Object>();
    line.put("scenario", scenario);
    try (var client = Duet.open()) {
      play(client, scenario, line);
    } catch (Exception error) {
      line.put("error", error.toString());
    }
    System.out.println(McpJsonDefaults.getMapper().writeValueAsString(line));
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
