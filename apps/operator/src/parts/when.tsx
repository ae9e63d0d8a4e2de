import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'

/** A moment in a narrow column: relative, on one line. */
export function When({ at }: { at: string }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      <Time at={at} />
    </Text>
  )
}
