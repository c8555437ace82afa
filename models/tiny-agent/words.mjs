// Word lists of the data generator.

export const CITIES = (
  "Oslo|Bergen|Paris|London|Berlin|Madrid|Rome|Vienna|Prague|Warsaw|Lisbon|Dublin|Athens|Helsinki|Stockholm|Copenhagen|Amsterdam|Brussels|Zürich|Geneva|" +
  "Milan|Naples|Munich|Hamburg|Cologne|Lyon|Marseille|Barcelona|Seville|Porto|Budapest|Bucharest|Sofia|Belgrade|Zagreb|Riga|Vilnius|Tallinn|Reykjavik|Moscow|" +
  "Kyiv|Istanbul|Ankara|Cairo|Tunis|Rabat|Lagos|Nairobi|Accra|Dakar|Cape Town|Johannesburg|Tokyo|Osaka|Kyoto|Seoul|Beijing|Shanghai|Hong Kong|Taipei|" +
  "Bangkok|Hanoi|Singapore|Jakarta|Manila|Mumbai|Delhi|Karachi|Dhaka|Tehran|Baghdad|Dubai|Doha|Sydney|Melbourne|Perth|Auckland|New York|Boston|Chicago|" +
  "Seattle|Denver|Dallas|Houston|Miami|Atlanta|Los Angeles|San Francisco|San Diego|Toronto|Montreal|Vancouver|Mexico City|Havana|Bogotá|Lima|Quito|Santiago|Buenos Aires|São Paulo|" +
  "Rio de Janeiro|Brasília|Caracas|Montevideo|Malmö|Trondheim|Turin|Venice|Florence|Valencia|Leipzig|Dresden|Ghent|Utrecht|Graz|Salzburg|Kraków|Gdańsk|Lviv|Minsk|" +
  "Tbilisi|Yerevan|Baku|Almaty|Kabul|Colombo|Kathmandu|Yangon|Hobart|Darwin|Wellington|Honolulu|Anchorage|Calgary|Ottawa|Phoenix|Austin|Memphis|Nashville|Portland"
).split("|");

export const CONDITIONS =
  "rain|sunny|cloudy|snow|fog|windy|clear|storm|light rain|heavy rain|overcast|drizzle|hail|partly cloudy|thunderstorm|light snow|mist|clear sky|showers|dry|hot|icy".split(
    "|",
  );

export const STEMS = (
  "notes|readme|todo|secrets|report|config|data|list|plan|letter|log|diary|shopping|budget|recipe|ideas|summary|index|main|test|draft|story|users|orders|prices|settings|" +
  "changelog|license|password|invoice|agenda|minutes|contacts|schedule|backup|results|input|output|message|names|poem|speech|thesis|homework|memo|the_end|what|weather|hello|info|draft|final|old|new|my_notes|keys"
).split("|");

export const FOLDERS = "docs|src|data|home|tmp|logs|test|files|private|work|etc|reports|notes|archive".split("|");
export const EXTENSIONS = "txt|txt|txt|txt|txt|md|md|md|json|csv|log|js|py|cpp|html|yaml|ini|toml|xml".split("|");

export const CONTENT = (
  "the|a|of|and|to|in|is|for|on|with|at|by|from|this|that|it|was|are|we|you|our|your|all|not|one|two|new|old|red|blue|green|big|small|buy|milk|bread|eggs|call|mother|meeting|monday|friday|" +
  "house|tree|river|train|ticket|garden|window|door|key|password|code|number|name|user|admin|server|port|host|true|false|open|close|start|stop|first|last|next|today|tomorrow|morning|night|water|fire|cat|dog|bird|" +
  "fish|horse|apple|coffee|tea|sugar|salt|paper|book|letter|story|song|music|road|city|king|queen|ship|sea|sun|moon|star|cloud|wind|stone|gold|silver|money|price|total|sum|week|year|hour|minute|remember|send|pay|" +
  "bring|read|write|walk|run|find|keep|lost|found|hidden|quiet|loud|quick|slow|happy|sad|cold|warm|early|late|under|over|behind|between"
).split("|");

export const ERRORS = {
  calculator: ["division by zero", "bad expression", "syntax error", "number too large", "not a number", "timeout"],
  weather: ["unknown city", "no such city", "service unavailable", "no data", "timeout", "not found"],
  read_file: [
    "no such file",
    "file not found",
    "permission denied",
    "not a text file",
    "file too large",
    "is a directory",
  ],
  delegate: ["too many tokens", "cancelled", "maxIterations", "no answer", "the model is gone", "timeout"],
};

export const REASONS = (
  "not allowed|secret file|no secrets|this file is private|policy|not now|ask a person first|denied by the user|blocked by a hook|no network|too many calls|outside the workspace|" +
  "the guard said no|read only mode|not permitted|forbidden path|private data|limit reached|this tool is off|secrets are off limits|no calculations today|no weather here|vetoed by a hook"
).split("|");

// Names of other agents.
export const TIERS = (
  "scout|reader|coder|helper|writer|tester|planner|clerk|lead|worker|expert|analyst|reviewer|critic|checker|librarian|assistant|partner|" +
  "student|teacher|doctor|guide|keeper|editor|mathematician|meteorologist|researcher|runner|watcher|guard|fast|small|big|second|other|junior"
).split("|");
// Names of hooks.
export const HOOKS =
  "guard|keep-secrets|policy|no-secrets|boss|limit|watchdog|sandbox|rules|keep-out|office-hours|audit|safety|person|filter".split(
    "|",
  );

// Pieces of English words. Put together at random they reach tokens of the vocabulary that made-up syllables never contain:
// a token that was never copied in training is not copied right later.
export const PIECES = (
  "at er nt re ss ssi st it me ath on oo le sta stant assi or he al ool ex we fi ar ather ad ity us in an cu pre ssion lat cal " +
  "culat ou nam gu gume es em ll of ic ay no ext ith ell hat for and ion ead alu met valu arith rent en sy tem cur as you to " +
  "ond say emp ve temp are cond condit ac ha lo ys xt ing ri ge am th se un wh do co li lp ld ks ro qu ed ra wor have ul age " +
  "ur um can ent ho all fo de est ver ai ow ke ne ns ti ple sm ber ch ru ht ind pl ly ts use mo hi op up mp pa iv ort ir ck " +
  "ful end ets ace by ack lit umb mput ee time lou get il so was arm ood oud wo etur when ama pp res sh quest wer cle ue und " +
  "po ab does mu rit ght wind sul hook sk ick ould ear be fold pe tle cont rom out that chat our pen ail one hes min wed ist " +
  "ase ans led ure ma allow mor ong je con ini wi acts bi my fri put bu gar work day help file path read tool name text city " +
  "sword fish miss key pass bank ship man land son ton ville burg ham ford port field wood stone bridge"
).split(" ");
