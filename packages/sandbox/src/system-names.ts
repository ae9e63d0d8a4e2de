/**
 * The upstream systems that the sandbox stands in for. Each lives in the folder of its name, in
 * `system.ts`.
 */
export const systemNames = ['identity', 'mail', 'files', 'payments', 'vies', 'smtp', 'dns'] as const
export type SystemName = (typeof systemNames)[number]
