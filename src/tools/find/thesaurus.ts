import { isHan, toStem } from "./words.ts";

export interface Thesaurus {
  /** Returns the longest known Chinese word that begins at this position in the run. */
  knownAt(run: string, from: number): string | undefined;
  /** Returns other forms of a stem or a Chinese word, and none for an unknown one. */
  formsOf(word: string): readonly string[];
}

export function createThesaurus(): Thesaurus {
  const others = new Map<string, Set<string>>();
  const byFirst = new Map<string, string[]>();
  for (const { zh, en } of concepts) {
    const forms = [...zh, ...en.map(toStem)];
    for (const form of forms) {
      const known = others.get(form) ?? new Set();
      for (const other of forms) if (other !== form) known.add(other);
      others.set(form, known);
      if (!isHan(form)) continue;
      byFirst.set(form.charAt(0), [...(byFirst.get(form.charAt(0)) ?? []), form]);
    }
  }
  for (const words of byFirst.values()) words.sort((a, b) => b.length - a.length);
  return {
    knownAt: (run, from) => byFirst.get(run.charAt(from))?.find((word) => run.startsWith(word, from)),
    formsOf: (word) => [...(others.get(word) ?? [])],
  };
}

/**
 * Groups the words that tools and questions use for one thing, in Chinese and English. A question in one language then finds a
 * description in the other, and "folder" finds "directory". Only common words of many kinds of tools are listed, and none
 * because of a single tool.
 */
const concepts: readonly { zh: readonly string[]; en: readonly string[] }[] = [
  // What is done.
  { zh: ["读取", "读出", "查看", "打开", "读"], en: ["read", "get", "view", "open"] },
  { zh: ["写入", "写到", "写进", "保存", "存储", "存到", "写"], en: ["write", "save", "store"] },
  { zh: ["创建", "新建", "建立", "生成"], en: ["create", "make", "generate", "new"] },
  { zh: ["添加", "增加", "新增", "追加"], en: ["add", "append", "insert"] },
  { zh: ["删除", "移除", "清除", "删掉"], en: ["delete", "remove", "clear"] },
  { zh: ["修改", "更新", "编辑", "更改", "改"], en: ["edit", "update", "modify", "change", "fix"] },
  { zh: ["搜索", "查找", "搜", "检索", "查询", "查一下", "寻找", "找"], en: ["search", "find", "query", "look"] },
  { zh: ["列出", "列表", "有哪些", "清单"], en: ["list", "listing"] },
  { zh: ["移动", "重命名", "改名"], en: ["move", "rename"] },
  { zh: ["复制", "拷贝"], en: ["copy", "duplicate"] },
  { zh: ["发送", "发给", "寄"], en: ["send", "post"] },
  { zh: ["下载"], en: ["download"] },
  { zh: ["上传"], en: ["upload"] },
  { zh: ["压缩", "打包"], en: ["compress", "zip", "gzip", "archive"] },
  { zh: ["解压"], en: ["decompress", "extract", "unzip"] },
  { zh: ["计算", "算"], en: ["calculate", "compute"] },
  { zh: ["求和", "相加", "之和", "总和"], en: ["sum", "add", "total"] },
  { zh: ["比较", "对比", "差异"], en: ["compare", "diff", "difference"] },
  { zh: ["翻译"], en: ["translate", "translation"] },
  { zh: ["总结", "摘要", "概括"], en: ["summarize", "summary", "summarizer"] },
  { zh: ["提取", "抽取"], en: ["extract"] },
  { zh: ["爬取", "抓取", "爬虫"], en: ["crawl", "fetch", "scrape"] },
  { zh: ["运行", "执行", "调用"], en: ["run", "execute", "invoke"] },
  { zh: ["开启", "关闭", "切换", "开关"], en: ["toggle", "enable", "disable", "switch"] },
  { zh: ["订阅"], en: ["subscribe", "subscriber", "subscription"] },
  { zh: ["研究", "调研"], en: ["research", "investigate"] },
  { zh: ["思考", "推理", "分析问题"], en: ["think", "thinking", "thought", "reasoning"] },
  { zh: ["分析"], en: ["analyze", "analysis"] },
  { zh: ["规划", "计划", "方案"], en: ["plan", "planning"] },
  { zh: ["合并"], en: ["merge"] },
  { zh: ["提交"], en: ["commit", "submit"] },
  { zh: ["部署", "发布"], en: ["deploy", "publish", "release"] },
  { zh: ["测试"], en: ["test"] },
  { zh: ["支付", "付款"], en: ["pay", "payment"] },
  { zh: ["预订", "预约"], en: ["book", "booking", "reserve"] },
  { zh: ["点击"], en: ["click", "press"] },
  { zh: ["截图", "截屏"], en: ["screenshot"] },
  { zh: ["回显", "原样返回"], en: ["echo"] },
  // Files and data.
  { zh: ["文件"], en: ["file"] },
  { zh: ["文件夹", "目录"], en: ["directory", "folder"] },
  { zh: ["目录树", "树状"], en: ["tree"] },
  { zh: ["文本", "文字"], en: ["text"] },
  { zh: ["文档"], en: ["document", "doc"] },
  { zh: ["多个", "批量", "一次性"], en: ["multiple", "batch", "bulk", "several"] },
  { zh: ["大小", "尺寸", "多大"], en: ["size", "large"] },
  { zh: ["路径"], en: ["path"] },
  { zh: ["允许", "权限"], en: ["allowed", "permission"] },
  { zh: ["信息", "元数据", "属性"], en: ["info", "information", "metadata"] },
  { zh: ["详情", "详细信息", "详细"], en: ["detail", "detailed"] },
  { zh: ["内容"], en: ["content"] },
  { zh: ["数据库"], en: ["database", "sql"] },
  { zh: ["表格", "工作表"], en: ["spreadsheet", "sheet", "table"] },
  { zh: ["数据"], en: ["data"] },
  { zh: ["资源"], en: ["resource"] },
  { zh: ["链接", "网址"], en: ["link", "url"] },
  { zh: ["环境变量"], en: ["environment", "env"] },
  { zh: ["日志"], en: ["log", "logging"] },
  { zh: ["代码"], en: ["code"] },
  { zh: ["仓库", "代码库"], en: ["repository", "repo"] },
  { zh: ["分支"], en: ["branch"] },
  { zh: ["合并请求", "拉取请求"], en: ["pull", "merge"] },
  { zh: ["议题", "工单", "缺陷"], en: ["issue", "ticket", "bug"] },
  // Knowledge.
  { zh: ["知识图谱", "图谱"], en: ["graph", "knowledge"] },
  { zh: ["实体"], en: ["entity"] },
  { zh: ["关系"], en: ["relation", "relationship"] },
  { zh: ["观察", "备注"], en: ["observation", "note"] },
  { zh: ["节点"], en: ["node"] },
  { zh: ["记忆", "记住", "记得"], en: ["memory", "remember"] },
  // The web and media.
  { zh: ["网页", "页面"], en: ["webpage", "page", "web"] },
  { zh: ["网站", "站点"], en: ["website", "site"] },
  { zh: ["联网", "互联网", "网上", "上网"], en: ["web", "internet", "online"] },
  { zh: ["浏览器"], en: ["browser"] },
  { zh: ["新闻", "时事", "头条"], en: ["news", "headline"] },
  { zh: ["图片", "图像", "照片", "相片"], en: ["image", "picture", "photo"] },
  { zh: ["视频"], en: ["video"] },
  { zh: ["音频", "声音", "音乐"], en: ["audio", "sound", "music"] },
  // Places and ways.
  { zh: ["天气", "气温", "下雨", "气象", "天气预报"], en: ["weather", "forecast", "temperature", "rain"] },
  { zh: ["地图"], en: ["map"] },
  { zh: ["路线", "怎么走", "怎么去", "导航", "路径规划"], en: ["route", "direction", "navigation"] },
  { zh: ["骑行", "骑车", "自行车", "单车"], en: ["bicycle", "bicycling", "bike", "biking", "cycling", "cycle"] },
  { zh: ["步行", "走路", "徒步"], en: ["walk", "walking", "foot", "pedestrian"] },
  { zh: ["驾车", "开车", "驾驶", "自驾"], en: ["drive", "driving", "car"] },
  {
    zh: ["公交", "公共交通", "地铁", "公交车", "巴士", "火车", "换乘"],
    en: ["bus", "transit", "subway", "metro", "train"],
  },
  { zh: ["距离", "多远"], en: ["distance", "far"] },
  { zh: ["地址"], en: ["address"] },
  { zh: ["经纬度", "坐标"], en: ["coordinate", "latitude", "longitude", "geocode", "geocoding", "geo"] },
  { zh: ["位置", "定位", "在哪"], en: ["location", "locate", "where", "position"] },
  { zh: ["附近", "周边", "周围"], en: ["nearby", "around", "near", "local"] },
  { zh: ["地点", "场所", "景点", "兴趣点"], en: ["place", "poi", "attraction"] },
  { zh: ["城市"], en: ["city"] },
  { zh: ["餐厅", "饭店", "餐馆", "美食"], en: ["restaurant", "food"] },
  { zh: ["酒店", "宾馆"], en: ["hotel"] },
  { zh: ["航班", "机票"], en: ["flight", "airline"] },
  // Work and trade.
  { zh: ["邮件", "邮箱"], en: ["email", "mail", "inbox"] },
  { zh: ["消息", "短信"], en: ["message", "chat"] },
  { zh: ["日历", "日程"], en: ["calendar", "event", "schedule"] },
  { zh: ["会议"], en: ["meeting"] },
  { zh: ["任务", "待办"], en: ["task", "todo"] },
  { zh: ["用户"], en: ["user"] },
  { zh: ["股票", "股价"], en: ["stock", "share"] },
  { zh: ["汇率", "货币"], en: ["currency", "exchange"] },
  { zh: ["订单"], en: ["order"] },
  { zh: ["商品", "产品"], en: ["product", "item"] },
  { zh: ["价格"], en: ["price", "cost"] },
  { zh: ["时间"], en: ["time"] },
  { zh: ["日期"], en: ["date"] },
];
