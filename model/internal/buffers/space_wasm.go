package buffers

const space = 1 << 32 // bytes that a process can address
