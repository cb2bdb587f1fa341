/**
 * The rooms whose tests are measured, by coverage (`npm run coverage`) and by mutation (`npm run mutate -- ROOM`): the code that
 * decides whether a call may run, and the code that proves afterwards that this was right. `tests`: the unit tests about the room;
 * other tests that happen to run its code would only make the measurement slow. `lazy`: modules that are loaded when they are first
 * used.
 */
export const MUTATION_ROOMS = {
  attestation: {
    source: ['src/attestation/**/*.ts'],
    tests: ['test/unit/attestation/**/*.test.ts', 'test/unit/attack/forged-attestations.test.ts'],
  },
  rules: {
    source: ['src/rules/**/*.ts'],
    lazy: ['src/rules/conditions/cel.ts'],
    // Without tests that measure time in threads, or that try a thousand agents at random.
    tests: [
      'test/unit/rules/!(condition-cost).test.ts',
      'test/unit/tools/admit/@(attacks|conditions|programs|read-permissions|rules).test.ts',
    ],
  },
  effects: {
    source: ['src/record/effect.ts', 'src/store/core/effects.ts', 'src/store/files/file-effects.ts'],
    tests: ['test/unit/store/*effect*.test.ts'],
  },
  approvals: {
    source: [
      'src/workflows/approvals/{question,approval-questions,decision-rules,decisions}.ts',
      'src/shared/approval/approval.ts',
    ],
    tests: ['test/unit/workflows/{approval-questions,decision}*.test.ts', 'test/unit/shared/approval.test.ts'],
  },
  verify: {
    source: ['src/audit/verify/**/*.ts'],
    tests: ['test/unit/audit/verify/**/*.test.ts'],
  },
};
