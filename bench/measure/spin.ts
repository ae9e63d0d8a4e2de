// A fixed amount of work on the servers' core. Its duration shows whether another process uses that
// core now.
const steps = 12_000_000

function spin(): number {
  const started = performance.now()
  let state = 1
  for (let i = 0; i < steps; i++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
  // The result is used, so that the compiler cannot leave the loop out.
  return performance.now() - started + (state === 0 ? 1e-9 : 0)
}

process.on('message', () => {
  process.send?.({ ms: spin() })
})
