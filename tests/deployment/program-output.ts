/** What a program that was run wrote, and whether it ended well. */
export async function outputOf(
  running: Promise<{ stdout: string; stderr: string }>,
): Promise<{ ok: boolean; text: string; lastLine: string }> {
  const { ok, text } = await running.then(
    ({ stdout, stderr }) => ({ ok: true, text: `${stdout}${stderr}` }),
    (error: { stdout?: string; stderr?: string }) => ({
      ok: false,
      text: `${error.stdout ?? ''}${error.stderr ?? ''}`,
    }),
  )
  return { ok, text, lastLine: text.trim().split('\n').at(-1) ?? '' }
}
