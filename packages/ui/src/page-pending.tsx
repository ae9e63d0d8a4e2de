import { Center, Loader } from '@mantine/core'

/** Stands where nothing else can yet: while it is still unknown who is there. The router waits a second before it shows this. */
export function PagePending() {
  return (
    <Center mih="100dvh" role="status" aria-label="Loading the portal">
      <Loader aria-hidden />
    </Center>
  )
}
