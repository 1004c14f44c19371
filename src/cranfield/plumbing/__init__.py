"""What knows nothing of retrieval: errors, checks of arguments, text, options, limits of the machine, values as JSON.

`argument_checks` checks what public functions are given by their annotations (`public.found` leads every call through
it) and takes about two microseconds. Functions of the package call each other without it, so nothing is checked twice.
Left open are runs and judgments, names of measures, methods of classes, and parameters of measures, which are checked
where they are declared.

`lazy` stands for polars in every module: small files are scored and printed without it, and importing it takes as long
as all the rest. `forks` refuses work in a forked process, which lacks the threads that read and join. `interrupts`
meets a signal again that came where Python can raise nothing.
"""
