"""Where the adding happens: files on one machine, Dask, Spark. What is added is the same everywhere."""
