import { expect, it } from 'vitest'
import { openHouse } from './house.ts'
import { startIssuer, personClaims } from './issuer.ts'

it('shows', async () => {
  await using issuer = await startIssuer()
  await using house = await openHouse({ env: { IDP_ISSUER: issuer.url } })
  console.log((await house.database.db.selectFrom('provisioning_steps').selectAll().execute()).map(r=>`${r.step} ${r.state} ${r.error}`))
  const owner = await issuer.sign(personClaims('owner@acme.test'))
  const op = await issuer.sign({ ...personClaims('operator@atrium.test'), aud: 'atrium-operator' })
  const show = async (r: Response) => { console.log(r.status, Object.fromEntries(r.headers)); const reader = r.body?.getReader(); for (let i=0;i<3;i++){ const p = await Promise.race([reader?.read(), new Promise<undefined>((d)=>setTimeout(d,500))]); if(!p||p.done) break; console.log('CHUNK', Buffer.from(p.value as Uint8Array).toString()) } ; await reader?.cancel() }
  const h = (t?: string, x={}) => ({ headers: { ...(t?{authorization: `Bearer ${t}`}:{}), ...x } })
  const enc = (o: unknown) => encodeURIComponent(JSON.stringify({ json: o }))
  await show(await house.app.fetch(new Request(`http://a/trpc/tenants.events?input=${enc({slug:'acme'})}`, h(owner)), {}))
  await show(await house.app.fetch(new Request(`http://a/trpc/tenants.events?input=${enc({slug:'globex'})}`, h(owner)), {}))
  await show(await house.app.fetch(new Request(`http://a/trpc/tenants.events?input=${enc({slug:'globex'})}`, h()), {}))
  await show(await house.app.fetch(new Request(`http://a/tenants/acme/events`, h(owner)), {}))
  await show(await house.app.fetch(new Request(`http://a/tenants/globex/events`, h(owner)), {}))
  await show(await house.app.fetch(new Request(`http://a/trpc/audit.export?input=${enc({})}`, h(op)), {}))
  await show(await house.app.fetch(new Request(`http://a/trpc/audit.export?batch=1&input=${encodeURIComponent(`{"0":{"json":{}}}`)}`, h(op, {'trpc-accept':'application/jsonl'})), {}))
  await show(await house.app.fetch(new Request(`http://a/trpc/audit.export?batch=1&input=${encodeURIComponent(`{"0":{"json":{}}}`)}`, h(owner, {'trpc-accept':'application/jsonl'})), {}))
  await show(await house.app.fetch(new Request(`http://a/audit/export`, h(op)), {}))
  console.log(house.logLines.filter(l=>/"error"|"warn"/.test(l)))
})
