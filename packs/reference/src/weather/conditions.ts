/** WMO weather interpretation codes in words. Source: Open-Meteo's documentation, "WMO Weather interpretation codes". */
const WORDS: [codes: number[], words: string][] = [
  [[0], 'clear sky'],
  [[1], 'mainly clear'],
  [[2], 'partly cloudy'],
  [[3], 'overcast'],
  [[45, 48], 'fog'],
  [[51, 53, 55], 'drizzle'],
  [[56, 57], 'freezing drizzle'],
  [[61, 63, 65], 'rain'],
  [[66, 67], 'freezing rain'],
  [[71, 73, 75], 'snow'],
  [[77], 'snow grains'],
  [[80, 81, 82], 'rain showers'],
  [[85, 86], 'snow showers'],
  [[95], 'thunderstorm'],
  [[96, 99], 'thunderstorm with hail'],
];
const BY_CODE = new Map(WORDS.flatMap(([codes, words]) => codes.map((code) => [code, words] as const)));

export function condition(code: number): string {
  return BY_CODE.get(code) ?? `weather code ${code}`;
}
