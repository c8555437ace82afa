// URLs in rules: what programs take them for decides, however they are spelled.
import { expect, test } from "vitest";
import { joined, openJudge } from "../../support/rules.js";

const notGood = [
  "https://evil.com/../good.com",
  "https://evil.com\\@good.com",
  "https://good.com@evil.com",
  "https://good.com:1@evil.com",
  "https://good.com\\.evil.com",
  "https://good.com.evil.com",
  "https://evil.com#good.com",
  "https://evil.com?good.com",
  " https://good.com",
  "\thttps://good.com",
  "ht\ntps://good.com",
  "https:good.com",
  "https:///good.com",
  "https:/good.com",
  "HTTPS://good.com",
  "https://GOOD.com",
  "https://good.com:443",
  "https://good.com:",
  "https://good.com.",
  "https://go%6fd.com",
  "https://good\u3002com",
  "https://g\u043eod.com",
  "http://good.com",
  "//good.com",
  "good.com",
  "javascript:https://good.com",
  "file://good.com",
  "https:\\\\good.com",
  "https://good.com%2f@evil.com",
];
const places = ["/x", "/x/../y", "/%2e%2e/x", "/x?y=z", "/"];

test("a URL is allowed where everybody reads it in one way, and that way is allowed", async () => {
  const { allowed } = await openJudge();
  const hostile = joined(notGood, places);
  expect(hostile.length).toBeGreaterThan(100);
  for (const is of ["https://good.com/**", { url: "https://good.com/**" }])
    expect(await allowed(is, hostile), JSON.stringify(is)).toEqual([]);
  const fine = joined(["https://good.com"], ["", "/", "/x", "/x/y.z", "/a%20b", "/a%2Fb", "/x?y=../z", "/x#y", "//x"]);
  expect(await allowed({ url: "https://good.com/**" }, fine)).toEqual(fine);
  expect(await allowed({ url: "HTTPS://Good.com:443/**" }, fine)).toEqual(fine);
  expect(await allowed("https://good.com/**", fine)).toEqual(fine);
});

test("a wildcard for a part of the host stands for nothing else", async () => {
  const { allowed } = await openJudge();
  const hosts = [
    ...joined(["https://evil.com"], ["/", "?", "#", "\\", "%2f", "%3f", ":1/", "/x?"], [".good.com/x"]),
    "https:\\evil.com\\.good.com/x",
  ];
  for (const pattern of ["https://*.good.com/**", "https://**.good.com/**"]) {
    for (const is of [pattern, { url: pattern }]) expect(await allowed(is, hosts), JSON.stringify(is)).toEqual([]);
    expect(await allowed({ url: pattern }, ["https://a.good.com/x"])).toHaveLength(1);
  }
});

test("a path of a URL that leaves its folder, however it is escaped, is not in it", async () => {
  const { allowed } = await openJudge();
  const ups = ["..", "%2e%2e", ".%2e", "%2E.", "%252e%252e", "..;", "..;x=1", "%2e%2e;"];
  const leaving = joined(["https://good.com/public"], ["/", "%2f", "\\", "%5c", "//"], ups, [
    "/admin",
    "%2fadmin",
    "\\admin",
    "",
  ]);
  expect(leaving.length).toBeGreaterThan(150);
  for (const is of ["https://good.com/public/**", { url: "https://good.com/public/**" }])
    expect(await allowed(is, leaving), JSON.stringify(is)).toEqual([]);
});

test("a ? in the pattern of a URL begins the query; a pattern without one allows any query after ** alone", async () => {
  const { allowed, spared } = await openJudge();
  const queried = [
    "https://good.com/a",
    "https://good.com/a?q=1",
    "https://good.com/a?q=1&r=/x",
    "https://good.com/b?q=/a",
  ];
  expect(await allowed({ url: "https://good.com/a" }, queried)).toEqual(queried.slice(0, 1));
  expect(await allowed({ url: "https://good.com/a?q=*" }, queried)).toEqual(queried.slice(1, 2));
  expect(await allowed({ url: "https://good.com/**/a" }, queried)).toEqual(queried.slice(0, 1));
  expect(await allowed({ url: "https://good.com/**" }, queried)).toEqual(queried);
  expect(await spared({ url: "https://good.com/a" }, queried)).toEqual(queried.slice(3));
});

const evil = [
  "https://evil.com",
  "HTTPS://EVIL.com",
  "https://evil.com:443",
  "https://evil.com:0443",
  "https://u:p@evil.com",
  "https://evil.com.",
  "https://ev%69l.com",
  "  https://evil.com",
  "https:\\\\evil.com",
  "https:/evil.com",
  "https:///evil.com",
  "ht\ttps://evil.com",
  "https://good.com@evil.com",
  "https:\\/u@evil.com",
  "https://evil.com:",
  "https:evil.com",
  "https://\u{ff45}vil.com",
  "https://evil\u3002com",
  "https://ev\u00adil.com",
  "https://%EF%BD%85vil.com",
];

test("a URL is denied where somebody may read it so", async () => {
  const { spared } = await openJudge();
  const spellings = joined(evil, ["", "/", "/x", "/x/../y", "?q", "#f", "//x", "\\x"]);
  expect(spellings.length).toBeGreaterThan(100);
  for (const is of ["https://evil.com/**", { url: "https://evil.com/**" }])
    expect(await spared(is, spellings), JSON.stringify(is)).toEqual([]);
  const secret = joined(evil, [
    "/secret",
    "/secret/",
    "/secret/x",
    "/x/../secret",
    "/%73ecret",
    "//secret",
    "/a%2f..%2fsecret",
  ]);
  for (const is of ["https://evil.com/secret/**", { url: "https://evil.com/secret/**" }])
    expect(await spared(is, secret), JSON.stringify(is)).toEqual([]);
  const both = ["https://evil.com\\@good.com/", "https://good.com#@evil.com/", "https://good.com?@evil.com/"];
  for (const host of ["https://evil.com/**", "https://good.com/**"])
    expect(await spared({ url: host }, both)).toEqual([]);
  const local = [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0000000000000000177.0.0.1",
    "127.0.0.1.",
  ];
  expect(await spared({ url: "http://127.0.0.1/**" }, joined(["http://"], local, ["", "/x"]))).toEqual([]);
  const others = [
    "https://good.com/evil.com",
    "https://evil.com.good.com/",
    "https://notevil.com/x",
    "http://evil.com/",
  ];
  for (const is of ["https://evil.com/**", { url: "https://evil.com/**" }])
    expect(await spared(is, others)).toEqual(others);
});
