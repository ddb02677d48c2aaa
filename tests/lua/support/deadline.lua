--- How long any one condition may take before its test fails, in milliseconds. Long, because it costs nothing while all
--- is well and the machine may be busy.

return 20000
